//! The names of the system's errors, as Node prints them.

use std::io;

/// The system's name of an error.
#[must_use]
pub fn system_code(error: &io::Error) -> String {
    use io::ErrorKind as Kind;
    if let Some(name) = error.raw_os_error().and_then(name) {
        return name.to_owned();
    }
    match error.kind() {
        Kind::NotFound => "ENOENT",
        Kind::PermissionDenied => "EACCES",
        Kind::AlreadyExists => "EEXIST",
        Kind::NotADirectory => "ENOTDIR",
        Kind::IsADirectory => "EISDIR",
        Kind::DirectoryNotEmpty => "ENOTEMPTY",
        Kind::ReadOnlyFilesystem => "EROFS",
        Kind::StorageFull => "ENOSPC",
        Kind::QuotaExceeded => "EDQUOT",
        Kind::FileTooLarge => "EFBIG",
        Kind::ResourceBusy => "EBUSY",
        Kind::CrossesDevices => "EXDEV",
        Kind::InvalidFilename => "ENAMETOOLONG",
        Kind::InvalidInput => "EINVAL",
        Kind::WriteZero | Kind::UnexpectedEof => "EIO",
        _ => return error.raw_os_error().map_or_else(|| "EIO".to_owned(), |n| format!("E{n}")),
    }
    .to_owned()
}

/// Finds the constant that a number is among these.
#[cfg(unix)]
macro_rules! names {
    ($($name:ident)*) => {
        &[$((libc::$name, stringify!($name)),)*]
    };
}

/// What every Unix has.
#[cfg(unix)]
const COMMON: &[(i32, &str)] = names! {
        E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EAFNOSUPPORT EAGAIN EALREADY EBADF EBADMSG
        EBUSY ECANCELED ECHILD ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDESTADDRREQ
        EDOM EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EIDRM EILSEQ EINPROGRESS
        EINTR EINVAL EIO EISCONN EISDIR ELOOP EMFILE EMLINK EMSGSIZE EMULTIHOP
        ENAMETOOLONG ENETDOWN ENETRESET ENETUNREACH ENFILE ENOBUFS ENODEV ENOENT ENOEXEC
        ENOLCK ENOLINK ENOMEM ENOMSG ENOPROTOOPT ENOSPC ENOSYS ENOTBLK ENOTCONN ENOTDIR
        ENOTEMPTY ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENXIO EOVERFLOW EOWNERDEAD
        EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMOTE EROFS
        ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESTALE ETIMEDOUT ETOOMANYREFS ETXTBSY
        EUSERS EXDEV
};

/// What else this system has.
#[cfg(any(target_os = "linux", target_os = "android"))]
const OWN: &[(i32, &str)] = names! {
        ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL
        ENOANO EBADRQC EBADSLT EBFONT ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG EADV
        ESRMNT ECOMM EDOTDOT ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX
        ELIBEXEC ERESTART ESTRPIPE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO ENOMEDIUM
        EMEDIUMTYPE ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED ERFKILL EHWPOISON
};
#[cfg(target_vendor = "apple")]
const OWN: &[(i32, &str)] = names! {
        EAUTH EBADRPC EFTYPE ENEEDAUTH EPROCLIM EPROCUNAVAIL EPROGMISMATCH EPROGUNAVAIL
        ERPCMISMATCH ENOATTR ENODATA ENOSR ENOSTR ETIME EBADARCH EBADEXEC EBADMACHO
        EDEVERR EPWROFF ESHLIBVERS ENOPOLICY EQFULL EOPNOTSUPP
};
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
#[cfg(unix)]
const OWN: &[(i32, &str)] = &[];

#[cfg(unix)]
fn name(number: i32) -> Option<&'static str> {
    let known = COMMON.iter().chain(OWN).find(|(known, _)| *known == number);
    known.map(|(_, name)| *name)
}

/// Windows has numbers of its own, which the standard library knows by their kinds; these are
/// the others that file operations answer, as libuv translates them.
#[cfg(not(unix))]
fn name(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "EISDIR",
        4 => "EMFILE",
        6 => "EBADF",
        8 | 14 => "ENOMEM",
        15 | 123 | 161 | 4392 => "ENOENT",
        23 | 31 | 110 | 156 | 205 | 1101 | 1102 | 1104 | 1106 | 1111 | 1117 | 1129 | 1165
        | 1166 | 1393 => "EIO",
        32 | 33 | 231 => "EBUSY",
        39 | 82 | 277 | 1100 => "ENOSPC",
        50 => "ENOTSUP",
        64 => "ECONNRESET",
        109 | 230 | 232 | 233 => "EPIPE",
        111 | 206 => "ENAMETOOLONG",
        121 => "ETIMEDOUT",
        995 => "ECANCELED",
        1113 => "ECHARSET",
        1314 => "EPERM",
        1464 => "EINVAL",
        1920 => "EACCES",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_carry_the_names_that_node_prints() {
        assert_eq!(system_code(&io::Error::from(io::ErrorKind::NotFound)), "ENOENT");
        assert_eq!(system_code(&io::Error::from(io::ErrorKind::StorageFull)), "ENOSPC");
    }

    #[cfg(unix)]
    #[test]
    fn every_number_of_the_system_has_its_name() {
        let named = |number| system_code(&io::Error::from_raw_os_error(number));
        for (number, name) in [
            (libc::EBADF, "EBADF"),
            (libc::ENOSYS, "ENOSYS"),
            (libc::ESTALE, "ESTALE"),
            (libc::EMFILE, "EMFILE"),
            (libc::ENOTSUP, "ENOTSUP"),
        ] {
            assert_eq!(named(number), name);
        }
        #[cfg(target_os = "linux")]
        for number in (1..=133).filter(|number| ![41, 58].contains(number)) {
            let name = named(number);
            assert!(
                !name[1..].starts_with(char::is_numeric) || name == "E2BIG",
                "{number}: {name}"
            );
        }
    }
}
