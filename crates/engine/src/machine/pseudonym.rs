//! A name of the machine that tells nothing of it.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::root::Root;

/// Where an installation keeps its own random number, machine-id(5); D-Bus had it before systemd did.
const FILES: [&str; 2] = ["/etc/machine-id", "/var/lib/dbus/machine-id"];
/// What the pseudonyms of this program are made for: another program's are others.
const USE: u128 = 0x6c1d_55ad_27a5_4f0e_9a3f_c10c_5c09_e001;

/// A pseudonym: HMAC-SHA256 of the program's own id under the machine's, as a UUID of version 4. machine-id(5) asks for
/// this way (`sd_id128_get_machine_app_specific`): the machine's id itself can't be found from it, nor can what another
/// program makes of it. Machines that were copied from one image with its id have the same.
pub(super) fn of(root: &Root) -> Result<String, String> {
    let [first, second] = FILES.map(|file| root.text(file));
    let text = first.or_else(|why| second.map_err(|_| why))?;
    let text = text.trim();
    let is_id = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let id = u128::from_str_radix(text, 16).ok().filter(|id| is_id && *id != 0);
    let id = id.ok_or("the machine's id is none: not 32 hexadecimal digits, or not set yet")?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&id.to_be_bytes()).map_err(|error| error.to_string())?;
    mac.update(&USE.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let bytes = std::array::from_fn(|i| digest[i]);
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(file: &str, text: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        of(&Root(folder.path().into()))
    }

    #[test]
    fn it_is_the_same_for_the_same_machine_and_not_the_machines_id() {
        let id = "0123456789abcdef0123456789abcdef";
        let name = with("etc/machine-id", &format!("{id}\n")).unwrap();
        // By `openssl dgst -sha256 -mac hmac -macopt hexkey:ID`, version and variant set.
        assert_eq!(name, "7912d2e0-2b02-4210-9f2a-271153291296");
        assert_eq!(with("var/lib/dbus/machine-id", id).unwrap(), name);
        assert_ne!(with("etc/machine-id", "1123456789abcdef0123456789abcdef").unwrap(), name);
    }

    #[test]
    fn what_is_no_id_is_none() {
        for text in
            ["", "uninitialized\n", "0123", "00000000000000000000000000000000", "+123456789abcdef0123456789abcdef"]
        {
            assert!(with("etc/machine-id", text).unwrap_err().contains("is none"), "{text}");
        }
        assert!(with("etc/hostname", "x").unwrap_err().contains("/etc/machine-id is not there"));
    }
}
