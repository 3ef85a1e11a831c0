! Reads Fortran's clocks: probe SAMPLES PAIRS. The protocol is in ../README.md.
program probe
    use, intrinsic :: iso_fortran_env, only: compiler_version, int64, real64
    implicit none
    character(len=*), parameter :: ticks = 'SYSTEM_CLOCK', seconds = 'CPU_TIME'
    ! So that the compiler can't leave the reads out.
    integer(int64), volatile :: kept
    real(real64), volatile :: kept_seconds
    integer(int64), allocatable :: counts(:)
    real(real64), allocatable :: times(:)
    integer(int64) :: samples, pairs, rate, n, m, i
    character(len=32) :: argument, rate_text, text

    call get_command_argument(1, argument)
    read (argument, *) samples
    call get_command_argument(2, argument)
    read (argument, *) pairs
    call system_clock(count_rate=rate)
    write (rate_text, '(i0)') rate

    write (*, '(a)') '# clockscope-probe/1'
    write (*, '(a)') '# runtime Fortran '//compiler_version()
    write (*, '(a)') '# timer '//ticks
    write (*, '(a)') '# clock '//ticks//' 1/'//trim(rate_text)
    write (*, '(a)') '# claim '//ticks//' count_rate '//trim(rate_text)
    write (*, '(a)') '# clock '//seconds//' 1'

    if (pairs > 0) then
        n = 20
        do while (min(ticked(n), ticked(n), ticked(n)) < 100000_int64)
            n = 2 * n
        end do
        m = 20
        do while (min(timed(m), timed(m), timed(m)) < 100000_int64)
            m = 2 * m
        end do
        do i = 1, pairs
            write (*, '(a, 3(1x, i0))') '# pair '//ticks, n, ticked(n), ticked(2 * n)
            write (*, '(a, 3(1x, i0))') '# pair '//seconds, m, timed(m), timed(2 * m)
        end do
    end if

    ! Written before, so that the pages are there.
    allocate (counts(samples), source=-1_int64)
    allocate (times(samples), source=-1.0_real64)
    do i = 1, samples
        call system_clock(counts(i))
    end do
    do i = 1, samples
        call cpu_time(times(i))
    end do
    do i = 1, samples
        write (*, '(a, 1x, i0)') ticks, counts(i)
    end do
    do i = 1, samples
        write (text, '(f24.9)') times(i)
        write (*, '(a, 1x, a)') seconds, trim(adjustl(text))
    end do
    write (*, '(a)') '# end'

contains

    ! Nanoseconds that so many reads in a row take.
    integer(int64) function ticked(reads)
        integer(int64), intent(in) :: reads
        integer(int64) :: start, stop, read, now
        call system_clock(start)
        do read = 1, reads
            call system_clock(now)
            kept = now
        end do
        call system_clock(stop)
        ticked = (stop - start) * 1000000000_int64 / rate
    end function

    integer(int64) function timed(reads)
        integer(int64), intent(in) :: reads
        integer(int64) :: start, stop, read
        real(real64) :: now
        call system_clock(start)
        do read = 1, reads
            call cpu_time(now)
            kept_seconds = now
        end do
        call system_clock(stop)
        timed = (stop - start) * 1000000000_int64 / rate
    end function

end program
