import Console
import Testing

struct LocaleUnitsTests {
    @Test(
        arguments: [
            (nil, true), ("C", true), ("POSIX", true), ("C.UTF-8", true), ("de_DE.UTF-8", true), ("en_GB", true),
            ("en_US", false), ("en_US.UTF-8", false), ("es_US.UTF-8@euro", false), ("yi_US@hebrew", false),
            ("US", true),
            ("de_DE@x_US", true),
        ] as [(String?, Bool)])
    func localesOfTheUSHaveMiles(locale: String?, isMetric: Bool) {
        #expect(LocaleUnits.isMetric(locale: locale) == isMetric)
    }
}
