/// The units of this client's locale, for while the setting `metric` is unset.
package enum LocaleUnits {
    /// Kilometres instead of miles: `LC_ALL`, else `LC_MEASUREMENT`, else `LANG` decides, as setlocale(3) looks them up.
    static let isMetric = isMetric(
        locale: environment("LC_ALL") ?? environment("LC_MEASUREMENT") ?? environment("LANG"))

    /// The name of the locale suffices: in glibc, those of the territory US have miles (`measurement` 2), and all others
    /// kilometres, C and POSIX included. A board often lacks the locale that ssh(1) passes on.
    package static func isMetric(locale: String?) -> Bool {
        !(locale ?? "").prefix { $0 != "." && $0 != "@" }.hasSuffix("_US")
    }
}
