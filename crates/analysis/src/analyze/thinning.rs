//! A bounded collection that stays evenly spread over all that came.

/// The first item, each k-th after it, and the newest. Once it is full, every other one goes and k doubles.
#[derive(Debug, Clone)]
pub struct Thinned<T> {
    items: Vec<T>,
    most: usize,
    every: usize,
    pushed: usize,
}

impl<T> Thinned<T> {
    /// Keeps this many items at most; an odd number counts as the even one below it, and anything less than 2 as 2.
    pub fn new(most: usize) -> Self {
        Self { items: Vec::new(), most: (most / 2 * 2).max(2), every: 1, pushed: 0 }
    }

    /// Adds the newest item.
    pub fn push(&mut self, item: T) {
        // What came before it has a place of its own only if it is a k-th one.
        if self.pushed > 0 && !(self.pushed - 1).is_multiple_of(self.every) {
            self.items.pop();
        }
        self.items.push(item);
        self.pushed += 1;
        if self.items.len() > self.most {
            // The newest is at an even place: there is an odd number of them.
            let mut place = 0;
            self.items.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.every *= 2;
        }
    }

    /// What is kept, oldest first, the newest included.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new(self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_kept_is_spread_evenly_over_all(pushed in 1..20_000_usize, most in 0..300_usize) {
            let mut thinned = Thinned::new(most);
            (0..pushed).for_each(|item| thinned.push(item));
            let kept = thinned.as_slice();
            prop_assert!(kept.len() <= most.max(2) && 2 * kept.len() >= most.min(pushed).max(2) - 1, "{kept:?}");
            prop_assert_eq!((kept[0], *kept.last().unwrap()), (0, pushed - 1));
            let gaps: Vec<usize> = kept.windows(2).map(|pair| pair[1] - pair[0]).collect();
            if let [rest @ .., last] = &gaps[..] {
                prop_assert!(rest.iter().all(|gap| *gap == rest[0] && last <= gap), "{:?}", gaps);
            }
        }
    }
}
