# Reads Ruby's clocks: ruby probe.rb SAMPLES PAIRS. The protocol is in ../README.md.

samples, pairs = ARGV.map { |word| Integer(word) }

# A batch of each clock is written out: a call through a block would cost more than the read.
CLOCKS = {}
def clock(call, label: call, value: call)
  batch = eval("proc { |n| while n > 0; #{call}; n -= 1; end }")
  row = eval("proc { |to| i = 0; while i < to.size; to[i] = #{value}; i += 1; end }")
  CLOCKS[label] = [batch, row]
end

def timed(batch, n)
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
  batch.call(n)
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - start
end

puts "# clockscope-probe/1"
puts "# runtime #{RUBY_ENGINE} #{RUBY_VERSION}p#{RUBY_PATCHLEVEL}"
puts "# timer Process.clock_gettime(CLOCK_MONOTONIC)"
%w[CLOCK_MONOTONIC CLOCK_REALTIME CLOCK_PROCESS_CPUTIME_ID CLOCK_THREAD_CPUTIME_ID].each do |id|
  label = "Process.clock_gettime(#{id})"
  if Process.const_defined?(id)
    clock("Process.clock_gettime(Process::#{id}, :nanosecond)", label: label)
    puts "# clock #{label} 1/1000000000"
    puts "# claim #{label} clock_getres #{Process.clock_getres(Process.const_get(id), :nanosecond)} ns"
  else
    puts "# absent #{label} this Ruby's Process has no #{id}"
  end
end
clock("Time.now", value: "(t = Time.now; t.to_i * 1_000_000_000 + t.nsec)")
puts "# clock Time.now 1/1000000000"

CLOCKS.each do |label, (batch, _)|
  break if pairs.zero?
  n = 20
  n *= 2 while Array.new(3) { timed(batch, n) }.min < 100_000 # the least: one may be interrupted
  pairs.times { puts "# pair #{label} #{n} #{timed(batch, n)} #{timed(batch, 2 * n)}" }
end

values = Array.new(samples, -1)
CLOCKS.each do |label, (_, row)|
  row.call(values)
  $stdout.write(values.map { |value| "#{label} #{value}\n" }.join)
end
puts "# end"
