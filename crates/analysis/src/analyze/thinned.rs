//! Shim.
#[derive(Debug, Clone)]
pub struct Thinned<T> {
    kept: Vec<T>,
    every: u64,
    pushed: u64,
    most: usize,
}
impl<T> Thinned<T> {
    pub fn new(most: usize) -> Self {
        Self { kept: Vec::new(), every: 1, pushed: 0, most }
    }
    pub fn push(&mut self, value: T) {
        if self.pushed % self.every == 0 {
            self.kept.push(value);
            if self.kept.len() > self.most {
                let mut i = 0;
                self.kept.retain(|_| {
                    i += 1;
                    i % 2 == 1
                });
                self.every *= 2;
            }
        }
        self.pushed += 1;
    }
    pub fn extend(&mut self, values: impl IntoIterator<Item = T>) {
        for v in values {
            self.push(v);
        }
    }
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.kept.iter()
    }
    pub fn clear(&mut self) {
        self.kept.clear();
        self.every = 1;
        self.pushed = 0;
    }
    pub fn pushed(&self) -> u64 {
        self.pushed
    }
}
