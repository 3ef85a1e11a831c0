//! Which clocksources are measured, and in which order.

use std::collections::BTreeSet;

use super::kernel::{Error, Kernel};

/// What a sweep is going to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The clocksource in use: measured first, so that nothing has been changed by then, and restored at the end.
    pub before: String,
    /// The others on offer, in the kernel's order.
    pub others: Vec<String>,
}

impl Plan {
    /// Asks the kernel; changes nothing.
    pub fn of(kernel: &dyn Kernel) -> Result<Self, Error> {
        let (available, before) = (kernel.available()?, kernel.current()?);
        if !available.contains(&before) {
            return Err(Error::Refused(format!(
                "the kernel runs on {before}, which is not among the clocksources that it offers ({}): once left it \
                 could not be chosen again",
                available.join(", ")
            )));
        }
        let mut seen = BTreeSet::from([before.clone()]);
        Ok(Self { before, others: available.into_iter().filter(|name| seen.insert(name.clone())).collect() })
    }

    /// All of them, in the order of measuring.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.before).chain(&self.others).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::super::made_up::MadeUp;
    use super::*;

    #[test]
    fn the_current_one_comes_first_and_each_comes_once() {
        let plan = Plan::of(&MadeUp::new("hpet tsc acpi_pm tsc", "tsc")).unwrap();
        assert_eq!(plan.sources().collect::<Vec<_>>(), ["tsc", "hpet", "acpi_pm"]);
    }

    #[test]
    fn what_could_not_be_chosen_again_is_not_left() {
        let error = Plan::of(&MadeUp::new("hpet acpi_pm", "jiffies")).unwrap_err();
        let begins =
            "the kernel runs on jiffies, which is not among the clocksources that it offers (hpet, acpi_pm): once";
        assert!(error.to_string().starts_with(begins), "{error}");
    }
}
