//! A variable's value.

/// A variable's value, cut to 32 bytes, lower case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name {
    bytes: [u8; Self::LONGEST],
    len: usize,
}

impl Name {
    pub(super) const LONGEST: usize = 32;

    pub(super) fn of(value: &[u8]) -> Self {
        let mut bytes = [0; Self::LONGEST];
        let len = value.len().min(bytes.len());
        bytes[..len].copy_from_slice(&value[..len]);
        bytes.make_ascii_lowercase();
        Self { bytes, len }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    pub(super) fn number(&self) -> Option<u64> {
        core::str::from_utf8(self.as_bytes()).ok()?.parse().ok()
    }
}
