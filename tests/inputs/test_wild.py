"""Tables as they come from other people, read with what docs/data.md says."""

import numpy as np
import pytest

import uapca
from inputs import wild
from inputs.wild import ERRORS, VALUES
from uapca.exceptions import DroppedRowsWarning


def refused(*arguments, **options):
    with pytest.raises(ValueError) as error:
        uapca.read(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_an_instrument_log(tmp_path):
    X = uapca.read(wild.instrument_log(tmp_path))
    assert X.features == ("Mass (mg)", "Temp. [°C]")
    assert X.names[:2] == ("A-000", "A-001")
    np.testing.assert_array_equal(X.mean, VALUES[:, :2])
    np.testing.assert_array_equal(X.std, ERRORS[:, :2])
    assert "left out: Remark (text)" in X.origin


def test_a_title_above_the_header_of_a_text(tmp_path):
    X = uapca.read(wild.titled(tmp_path))
    assert X.features == ("x", "y")
    assert X.names[0] == "s0"
    np.testing.assert_array_equal(X.mean, VALUES[:, :2])
    np.testing.assert_array_equal(X.std, ERRORS[:, :2])
    assert "left out above the header: Study 17, plate B (preliminary)" in X.origin
    assert len(uapca.read(wild.titled(tmp_path), by="sample")) == wild.ROWS


def test_a_header_is_not_taken_for_a_title(tmp_path):
    path = tmp_path / "a.csv"
    for text in ("x,y\na,1,2\nb,3,4\n", "x\na,1\nb,3\n", "Title\nx,y\n1,2\n3,4\n"):
        path.write_text(text)
        assert "titles and footnotes begin with #" in refused(path)
    path.write_text("a;b\n1,234,567;2,345,678\n2,234,567;3,345,678\n")
    assert uapca.read(path).features == ("a", "b")


def test_a_sheet_with_a_title_above_its_header_and_units_below_it(tmp_path):
    X = uapca.read(wild.excel_of_a_laboratory(tmp_path))
    assert X.features == ("Glucose [mmol/L]", "Lactate [mg/dL]")
    assert X.names[-1] == "P5"
    np.testing.assert_array_equal(X.mean, VALUES[:, :2])
    np.testing.assert_array_equal(X.std, ERRORS[:, :2])


def test_an_export_of_vizier(tmp_path):
    X = uapca.read(wild.vizier(tmp_path), names="HIP")
    assert X.features == ("Teff [K]", "[Fe/H] [-]")
    assert X.names[0] == "100"
    np.testing.assert_array_equal(X.mean, VALUES[:, :2])
    np.testing.assert_array_equal(X.std, ERRORS[:, :2])


def test_gaia_sources_with_correlations(tmp_path):
    X = uapca.read(wild.gaia(tmp_path), exclude="phot_*")
    assert X.names[1] == "4198234567890123401"
    assert X.features == ("ra", "dec", "parallax")
    np.testing.assert_array_equal(X.mean, VALUES)
    corr = np.array([[1, 0.1, -0.2], [0.1, 1, 0.3], [-0.2, 0.3, 1]])
    np.testing.assert_allclose(X.cov.dense()[0], corr * np.outer(ERRORS[0], ERRORS[0]), rtol=1e-14)


def test_asymmetric_errors_of_exoplanets_with_a_gap(tmp_path):
    path = wild.exoplanets(tmp_path)
    assert "row 'b 2', column 'pl_mass' is empty" in refused(path)
    with pytest.warns(DroppedRowsWarning, match="left out 1 row"):
        X = uapca.read(path, missing="drop")
    assert X.features == ("pl_mass", "pl_rade")
    keep = [0, 1, 3, 4, 5]
    up, down = ERRORS[keep, 0], ERRORS[keep, 1]
    mean = VALUES[keep, 0] + np.sqrt(2 / np.pi) * (up - down)
    np.testing.assert_allclose(X.mean[:, 0], mean, rtol=1e-14)
    variance = (1 - 2 / np.pi) * (up - down) ** 2 + up * down
    np.testing.assert_allclose(X.std[:, 0] ** 2, variance, rtol=1e-13)
    assert uapca.read(path, missing="keep").missing.sum() == 1


def test_decimal_commas_and_points_for_thousands_in_utf_16(tmp_path):
    path = wild.german_spreadsheet(tmp_path)
    X = uapca.read(path, missing="keep")
    assert X.features == ("Höhe über dem Meeresspiegel", "Abfluss")
    assert X.names[0] == "Köln 0"
    np.testing.assert_array_equal(X.mean[:, 0], [1050.5 + 1100 * i for i in range(6)])
    np.testing.assert_array_equal(X.mean[:4, 1], VALUES[:4, 0])
    np.testing.assert_array_equal(X.std[:4, 1], ERRORS[:4, 0])
    assert np.isnan(X.mean[4, 1])
    assert "decimal commas, and points that separate thousands" in X.origin


def test_a_point_is_no_decimal_where_commas_are():
    columns = {"a": ["1.050", "2.100"], "b": ["1,5", "2,5"]}
    assert "pass decimal=',' or thousands=','" in refused({**columns, "b": ["1,500", "2,500"]})
    assert "cannot read '1.050' as a number" in refused(columns, decimal=",")
    X = uapca.read(columns, decimal=",", thousands=".")
    np.testing.assert_array_equal(X.mean, [[1050.0, 1.5], [2100.0, 2.5]])


def test_thousands_in_quotes(tmp_path):
    X = uapca.read(wild.accounts(tmp_path))
    np.testing.assert_array_equal(X.mean[:, 0], [1234.5 + 1000 * i for i in range(6)])
    np.testing.assert_array_equal(X.std[:, 0], [100.0 + i for i in range(6)])


def test_replicates_of_treatments(tmp_path):
    path = wild.replicates(tmp_path)
    X = uapca.read(path, by="treatment")
    assert X.names == ("LPS", "LPS + Dex", "control")
    assert X.features == ("IL-6", "TNF-alpha")
    assert X.counts.tolist() == [6, 6, 6]
    assert "bio_rep, tech_rep (counts rows; features= takes it)" in X.origin
    whole = uapca.read(path)
    np.testing.assert_allclose(
        uapca.UAPCA().fit(X).get_covariance(), np.cov(whole.mean.T, ddof=0), rtol=1e-12
    )
    assert len(uapca.read(path, by=["treatment", "bio_rep"])) == 9


def test_a_questionnaire_with_a_slip(tmp_path):
    path = wild.questionnaire(tmp_path)
    assert "row 'r3', column 'score': cannot read 'n.a.' as a number" in refused(path)
    X = uapca.read(path, words={"n.a.": None}, missing="keep")
    assert X.features == ("age", "score")
    assert X.missing.tolist() == [[False, i == 3] for i in range(6)]
    assert "left out: date (text such as '2024-01-01')" in X.origin
    assert "left out: smoker (text)" in X.origin
    assert "left out: comment, unused (no values)" in X.origin


def test_a_thousand_columns_with_long_names(tmp_path):
    X = uapca.read(wild.long_names(tmp_path))
    assert X.shape == (6, 500)
    assert all(len(name) == 40 for name in X.features)
    assert (X.std > 0).all()


def test_a_hundred_thousand_rows(tmp_path):
    X = uapca.read(wild.many_rows(tmp_path))
    assert X.shape == (100_000, 2)
    assert X.features == ("a", "b")
    assert (X.std == [0.5, 0.25]).all()
    assert X.names[-1] == "99999"


def test_grades_with_words_and_an_empty_cell(tmp_path):
    path, words = wild.grades(tmp_path), {"good": "T(13, 14, 16, 18)"}
    assert "row 'Tom', column 'M2': cannot read 'good'" in refused(path)
    assert "fill='U(0, 20)'" in refused(path, words=words)
    X = uapca.read(path, words=words, fill={"P1": "U(0, 20)"})
    assert X.names == ("Tom", "Ann", "Bob")
    assert [str(m) for m in X.laws[1].marginals] == ["N(14, 5.7)", "12 +0.5 -0.3", "U(0, 20)"]


def test_text_of_fixed_width_with_a_gap(tmp_path):
    X = uapca.read(wild.fixed_width(tmp_path), missing="keep")
    assert X.features == ("flux", "mag")
    assert X.names[0] == "NGC 100"
    np.testing.assert_array_equal(X.mean[:, 0], VALUES[:, 0])
    assert np.isnan(X.mean[1, 1])


def test_counts_with_names_in_a_column_without_a_header(tmp_path):
    X = uapca.read(wild.counts_of_genes(tmp_path))
    assert X.names[0] == "ENSG00000000"
    assert X.features == ("s1", "s2", "s3", "gene_length")


def test_cells_with_asymmetric_errors_alone_are_uncertain_cells():
    X = uapca.read({"a": ["14 +0.5 -0.3", "12 +0.1 -0.2"]})
    assert str(X.laws[0].marginals[0]) == "14 +0.5 -0.3"


def test_a_column_that_is_refused_is_refused_with_its_file(tmp_path):
    path = tmp_path / "orphan.csv"
    path.write_text("x,x_err,s_err\n1,2,3\n4,5,6\n")
    assert refused(path).startswith(f"{str(path)!r}: errors must belong to a column of values")


def test_variances_have_the_square_of_the_unit():
    from astropy import units as u
    from astropy.table import QTable

    table = QTable({"x": [1.0, 2.0] * u.kg, "x_var": [4e6, 9e6] * u.g**2})
    np.testing.assert_allclose(uapca.read(table).std, [[2.0], [3.0]], rtol=1e-15)
    table["x_var"] = [4.0, 9.0] * u.kg
    assert "must have the unit of their values" in refused(table)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_formulas_that_were_guarded_come_back_as_they_were(ending, tmp_path):
    from uapca.cli.console import write_table

    names = ("=1+1", "-a", "'@b", "plain", "it's")
    columns = {"name": names, "+x": [1.0, 2.0, 3.0, 4.0, 6.0], "y": [1.0, 0.0, 2.0, 5.0, 3.0]}
    path = tmp_path / f"guarded.{ending}"
    write_table(path, columns, "five rows")
    X = uapca.read(path)
    assert X.names == names
    assert X.features == ("+x", "y")
    assert set(uapca.read(path, by="name").names) == set(names)


@pytest.mark.parametrize(
    "header",
    ["site,ph_mean,ph_sd,o2_mean,o2_sd", "site,mean.ph,sd.ph,avg_o2,se_o2",
     "site,ph median,ph SD,o2_value,std_o2"],
)  # fmt: skip
def test_means_and_standard_deviations(header, tmp_path):
    X = uapca.read(wild.summaries(tmp_path, header))
    names = header.split(",")
    assert X.features == (names[1], names[3])
    assert np.array_equal(X.mean, VALUES[:, :2])
    assert np.array_equal(X.std, ERRORS[:, :2])
    # A frame that is fitted as it is is warned of in the same way.
    pd = pytest.importorskip("pandas")
    with pytest.warns(uapca.ErrorColumnWarning, match="from_frame"):
        uapca.UAPCA(1).fit(pd.read_csv(wild.summaries(tmp_path, header), index_col=0))


def test_standard_deviations_in_brackets(tmp_path):
    X = uapca.read(wild.clinical(tmp_path), names="Arm")
    assert np.allclose(X.mean, np.column_stack([VALUES[:, 0].round(1), VALUES[:, 1].round()]))
    assert X.std.tolist() == [[float(f"{e:.1f}") for e in row] for row in ERRORS[:, :2]]
    assert (
        "left out: Arm (words; names= takes them as names"
        in uapca.read(wild.clinical(tmp_path)).origin
    )
    assert "cannot read '14.32 (6)'" in refused({"x": ["14.32 (6)", "1 (2)"]})


def test_percentiles_are_bounds(tmp_path):
    X = uapca.read(wild.posterior_quantiles(tmp_path))
    assert X.features == ("conc_median", "ph_p50")
    assert "conc_median between conc_q16 and conc_q84, ph_p50 (certain)" in X.origin
    np.testing.assert_allclose(X.laws[0].marginals[0].ppf(0.5), VALUES[0, 0], rtol=1e-14)


def test_confidence_intervals_of_unknown_level_are_refused(tmp_path):
    path = wild.meta_analysis(tmp_path)
    said = refused(path)
    assert "'dose_ci_lower', 'dose_ci_upper' bound an interval of 'dose' of unknown prob" in said
    assert uapca.read(path, exclude="*_ci_*").features == ("dose", "age")
    assert uapca.read(path, features=["dose"]).features == ("dose",)


def test_ratios_of_gaia_are_no_errors_without_values(tmp_path):
    X = uapca.read(wild.gaia_source(tmp_path))
    assert X.features == ("parallax", "bp_rp")
    assert "left out: parallax_over_error (a value divided by its error)" in X.origin
    assert X.names[1] == "Gaia DR3 4295806721"


def test_thousands_with_apostrophes_and_spaces(tmp_path):
    X = uapca.read(wild.cantons(tmp_path))
    assert X.mean[2].tolist() == [21_234_567.0, 1234.5]
    assert X.std[:, 0].tolist() == [1200.0 + 10 * i for i in range(wild.ROWS)]


def test_codes_with_leading_zeros_are_no_numbers(tmp_path):
    path = wild.barcodes(tmp_path)
    X = uapca.read(path)
    assert X.features == ("mass",)
    assert "left out: barcode, ward, lead (text such as '0007')" in X.origin
    assert uapca.read(path, features=["mass", "ward"]).mean[3, 1] == 3.0
    assert uapca.read(path, by="ward").features == ("mass",)


def test_a_table_that_r_wrote(tmp_path):
    X = uapca.read(wild.written_by_r(tmp_path))
    assert (X.features, X.names[0]) == (("x", "y"), "row 0")
    assert np.array_equal(X.std[:, 0], ERRORS[:, 0])


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_columns_of_errors_with_one_name(ending, tmp_path):
    path = wild.published(tmp_path)
    if ending == "xlsx":
        pd = pytest.importorskip("pandas")
        frame = pd.read_csv(path, header=None)
        path = tmp_path / "published.xlsx"
        frame.to_excel(path, header=False, index=False)
    X = uapca.read(path)
    assert X.features == ("x", "y")
    assert np.allclose(X.std, ERRORS[:, :2])


def test_numbers_that_stand_for_no_value(tmp_path):
    path = wild.sentinels(tmp_path)
    assert "makes an error of -999; pass words={'-999': None} if that means no value" in refused(
        path
    )
    X = uapca.read(path, words={"-999": None}, missing="keep")
    assert X.missing.sum() == 1


def test_footnotes_are_refused_with_the_way_out(tmp_path):
    assert "titles and footnotes begin with #" in refused(wild.footnotes(tmp_path))


def test_units_in_cells_are_shown(tmp_path):
    X = uapca.read(wild.with_units_in_cells(tmp_path))
    assert f"left out: mass (text such as '{VALUES[0, 0]} ± {ERRORS[0, 0]} kg')" in X.origin


def test_archives_are_refused(tmp_path):
    path = tmp_path / "a.csv.zip"
    path.write_bytes(b"PK\x03\x04")
    assert refused(path).endswith("unpack " + repr(str(path)) + " first")


def test_error_bars_with_decimal_commas(tmp_path):
    path = tmp_path / "eisen.csv"
    path.write_text('Probe;Eisen;Zink\nB1;16,1 ± 0,3;9,45±0,4\nB2;2,3 +/- 0,2;"[10,5; 12]"\n')
    X = uapca.read(path, names="Probe")
    assert X.mean.tolist() == [[16.1, 9.45], [2.3, 11.25]]
    assert X.std[:, 0].tolist() == [0.3, 0.2]
    assert "numbers have decimal commas" in X.origin
    path.write_text("Probe;Eisen\nB1;1,000 ± 0.5\nB2;2,000 ± 0.5\n")
    with pytest.raises(ValueError, match="numbers must be unambiguous"):
        uapca.read(path)


@pytest.mark.parametrize("header", ["x,x_err (%),y", "x,x_err [%],y", "x,x_err%,y"])
def test_relative_errors_are_refused(header, tmp_path):
    path = tmp_path / "relative.csv"
    path.write_text(f"{header}\n10,3,1\n20,2,4\n")
    errors = {"x": header.split(",")[1]}
    with pytest.raises(ValueError, match="is in percent and 'x' is not: multiply"):
        uapca.read(path, errors=errors)
    path.write_text("x (%),x_err (%),y\n10,3,1\n20,2,4\n")
    assert uapca.read(path).std[:, 0].tolist() == [3.0, 2.0]


def test_numbers_of_observations_are_no_features(tmp_path):
    path = tmp_path / "means.csv"
    path.write_text("site,iron_mean,iron_sd,iron_n,n\na,1,0.1,5,2\nb,2,0.2,5,3\nc,4,0.1,4,1\n")
    X = uapca.read(path)
    assert X.features == ("iron_mean",)
    assert "left out: iron_n, n (numbers of observations; features= takes it)" in X.origin
    assert uapca.read(path, features=["iron_mean", "iron_n"]).shape == (3, 2)


def test_rows_that_are_named_like_errors(tmp_path):
    path = tmp_path / "transposed.csv"
    path.write_text("variable,s1,s2\nx,1,2\nx_err,0.1,0.2\ny,3,5\ny_err,0.1,0.3\n")
    assert "rows are named like values and their errors: transpose" in uapca.read(path).origin


def test_percentages_do_not_name_the_rows():
    X = uapca.read({"share": ["10 %", "12,5 %", "3%"], "site": ["a", "b", "c"], "x": [1.0, 2, 4]})
    assert X.names == ("a", "b", "c")
    assert "left out: share (text such as '10 %')" in X.origin


def test_values_in_the_first_line_are_no_names(tmp_path):
    path = tmp_path / "headless.txt"
    path.write_text("HD1  5.51  0.01  0.3\nHD2  6.20  0.02  -0.1\nHD3  7.1  0.05  0.2\n")
    with pytest.raises(ValueError, match=r"first line must name the columns; .* it holds 5\.51"):
        uapca.read(path)
    assert uapca.read(path, features=["5.51", "0.3"]).shape == (2, 2)
    path.write_text("probe,400.5,401.5,403.5\na,1,2,3\nb,2,4,3\n")  # wavelengths
    assert uapca.read(path).features == ("400.5", "401.5", "403.5")


def test_units_are_said_once(tmp_path):
    path = tmp_path / "units.csv"
    path.write_text("name,mass,length (mm)\n,kg,mm\na,1,2\nb,2,5\nc,4,4\n")
    assert uapca.read(path).features == ("mass [kg]", "length (mm)")


def check_two(X, features, names):
    assert X.features == features
    assert X.names[:2] == names
    np.testing.assert_array_equal(X.mean[:, :2], VALUES[:, :2])
    np.testing.assert_array_equal(X.std[:, :2], ERRORS[:, :2])


def test_an_export_of_sdss(tmp_path):
    X = uapca.read(wild.sdss(tmp_path))
    ids = ("1237678901234567800", "1237678901234567801")
    check_two(X, ("u", "modelMag_g", "z"), ids)
    assert X.std[1, 2] == 0.011
    assert "left out: class (text)" in X.origin


def test_a_catalog_of_sextractor(tmp_path):
    X = uapca.read(wild.sextractor(tmp_path), features=["MAG_AUTO", "FLUX"], names="NUMBER")
    check_two(X, ("MAG_AUTO", "FLUX"), ("0", "1"))


def test_a_warning_that_such_errors_would_be_features(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.read_csv(wild.sextractor(tmp_path))
    with pytest.warns(uapca.ErrorColumnWarning, match="'MAGERR_AUTO' is named like the errors of"):
        uapca.UAPCA(1).fit(frame[["MAG_AUTO", "MAGERR_AUTO", "FLUX"]])


def test_protein_groups_of_max_quant(tmp_path):
    X = uapca.read(wild.max_quant(tmp_path), features="LFQ *", words={"0": None}, missing="keep")
    assert X.features == ("LFQ intensity A", "LFQ intensity B")
    assert X.names[2] == "P02;Q2"
    assert X.missing.tolist() == [[i == 2, False] for i in range(6)]


def test_a_clinical_form(tmp_path):
    X = uapca.read(wild.redcap(tmp_path), exclude="race*", missing="keep")
    assert X.features == ("height_cm", "sbp_mean")
    assert X.names[3] == "301"
    assert X.missing[3].tolist() == [False, True]
    np.testing.assert_array_equal(X.std[:3, 1], ERRORS[:3, 0])
    assert "left out: dob (text such as '1960-01-02')" in X.origin


def test_a_supplement_with_merged_cells_and_footnotes(tmp_path):
    X = uapca.read(wild.supplement(tmp_path))
    check_two(X, ("Glucose mean", "Lactate mean"), ("P0", "P1"))
    assert "left out above the header: Table S3. Concentrations in serum" in X.origin
    assert "left out below the table: a) n = 3 for each patient" in X.origin


def test_an_empty_row_does_not_end_a_table(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    for row in (["a", "x", "y"], ["p", 1, 2], [], ["q", 3, 5], ["r", 2, 4]):
        book.active.append(row)
    book.save(tmp_path / "gap.xlsx")
    assert uapca.read(tmp_path / "gap.xlsx").names == ("p", "q", "r")


def test_decimal_commas_with_exponents_and_a_separator_at_each_end(tmp_path):
    X = uapca.read(wild.european(tmp_path))
    assert (X.features, X.names[0]) == (("Länge",), "P0")
    np.testing.assert_allclose(X.mean[:, 0], 1e-3 * VALUES[:, 0], rtol=1e-15)
    np.testing.assert_allclose(X.std[:, 0], 1e-3 * ERRORS[:, 0], rtol=1e-15)


@pytest.mark.parametrize("sign", ["\t", " "])
def test_a_table_that_r_wrote_without_quotes(sign, tmp_path):
    path = wild.unquoted_of_r(tmp_path, sign)
    X = uapca.read(path)
    assert (X.features, X.names[0]) == (("x", "y"), "gene0")
    assert np.array_equal(X.mean, VALUES[:, :2])
    assert np.array_equal(X.std[:, 0], ERRORS[:, 0])
    assert set(uapca.read(path, by="").names) == set(X.names)


def test_a_wide_series_of_years(tmp_path):
    X = uapca.read(wild.world_bank(tmp_path))
    assert X.features == ("2019", "2020", "2021", "2022")
    assert X.names[0] == "Land 0"
    assert np.array_equal(X.mean, np.hstack([VALUES[:, :2], ERRORS[:, :2]]))
    assert "left out above the header" in X.origin
    assert "left out: Country Code, Indicator Name (text)" in X.origin


def test_errors_of_two_standard_deviations_are_halved(tmp_path):
    X = uapca.read(wild.dates(tmp_path))
    assert X.features == ("206Pb/238U", "Age (Ma)")
    assert np.array_equal(X.std, ERRORS[:, :2] / 2)
    assert "206Pb/238U ± 206Pb/238U 2SE / 2" in X.origin
    for name in ("x_2sigma", "x 2SD", "x 2σ"):
        assert uapca.read({"x": [1.0, 2.0], name: [0.2, 0.4]}).std.tolist() == [[0.1], [0.2]]
    assert uapca.read({"x": [1.0, 2.0], "x_1sigma": [0.2, 0.4]}).std.tolist() == [[0.2], [0.4]]
    given = {"x": [1.0, 2.0], "u": [0.2, 0.4]}
    assert uapca.read(given, errors={"x": "u"}).std.tolist() == [[0.2], [0.4]]


def test_errors_behind_plus_and_minus(tmp_path):
    check_two(uapca.read(wild.spectrometer(tmp_path)), ("Fe", "Zn"), ("s0", "s1"))


@pytest.mark.parametrize("error", ["x_rsd", "x CV%", "x_rel_err"])
def test_relative_errors_and_half_widths_are_refused(error):
    said = refused({"x": [1.0, 2.0], error: [5.0, 4.0]})
    assert f"{error!r} is relative to 'x': multiply it by the values" in said
    assert uapca.read({"x": [1.0, 2.0], error: [5.0, 4.0]}, exclude=[error]).features == ("x",)
    assert "of unknown probability" in refused({"x": [1.0, 2.0], "x_ci95": [5.0, 4.0]})


@pytest.mark.parametrize("kind", ["frame", "csv", "xlsx"])
def test_means_and_deviations_of_groups_that_pandas_made(kind, tmp_path):
    pd = pytest.importorskip("pandas")
    points = pd.DataFrame({"k": list("aabb"), "x": [1.0, 3.0, 2.0, 5.0], "y": [4.0, 4.5, 1.0, 0.0]})
    table = points.groupby("k").agg(["mean", "std"])
    if kind != "frame":
        path = tmp_path / f"groups.{kind}"
        table.to_csv(path) if kind == "csv" else table.to_excel(path)
        X = uapca.read(path)
    else:
        X = uapca.read(table)
    assert (X.features, X.names) == (("x mean", "y mean"), ("a", "b"))
    np.testing.assert_allclose(X.mean, table.to_numpy()[:, ::2], rtol=1e-15)
    np.testing.assert_allclose(X.std, table.to_numpy()[:, 1::2], rtol=1e-15)


def test_names_that_pandas_numbered(tmp_path):
    table = {"a": [1.0, 2.0], "a_err": [0.1, 0.2], "a.1": [3.0, 5.0], "a_err.1": [0.3, 0.4]}
    X = uapca.read(table)
    assert X.features == ("a", "a.1")
    assert X.std.tolist() == [[0.1, 0.3], [0.2, 0.4]]


def test_texts_of_ufloats_with_a_common_power():
    uncertainties = pytest.importorskip("uncertainties")
    number = uncertainties.ufloat(1.25e5, 3e3)
    X = uapca.read({"x": [str(number), "(2.00+/-0.05)e+05"], "y": ["1.0+/-0.5", "3"]})
    assert X.mean[:, 0].tolist() == [125_000.0, 200_000.0]
    assert X.std[:, 0].tolist() == [3000.0, 5000.0]


def test_words_that_only_contain_a_word_for_errors():
    names = ["pha_1", "phase_1", "rate", "rate_2s", "base", "ba"]
    X = uapca.read({name: [float(k), 1.0] for k, name in enumerate(names)})
    assert X.features == tuple(names)


def test_whole_numbers_of_many_digits_are_no_values():
    X = uapca.read({"plate": ["12345678901234567", "12345678901234568"], "x": ["1", "2"]})
    assert X.features == ("x",)


@pytest.mark.parametrize("options", [{}, {"by": "id"}])
def test_the_line_in_which_excel_names_the_separator(options, tmp_path):
    path = tmp_path / "sep.csv"
    path.write_text("sep=;\nid;x;x_err;y\n" + "".join(f"s{i};{i}.5;0.25;2\n" for i in range(3)))
    X = uapca.read(path, **options)
    assert (X.features, X.names) == (("x", "y"), ("s0", "s1", "s2"))
    assert X.mean[:, 0].tolist() == [0.5, 1.5, 2.5]


def test_separators_at_the_end_of_rows_move_no_column(tmp_path):
    path = tmp_path / "ends.tsv"
    path.write_text("id\tx\ty\na\t1\t2\t\nb\t3\t5\t\n")
    assert "every line must have 3 cells" in refused(path)


def test_cycles_of_a_thermocycler(tmp_path):
    rows = ["Block Type\t96well", "", "[Results]", "Well\tTarget\tCT\tCt Mean\tCt SD"]
    rows += [f"A{i}\tGAPDH\t{i}.5\t{VALUES[i, 0]}\t{ERRORS[i, 0]}" for i in range(6)]
    path = tmp_path / "cycles.txt"
    path.write_text("\n".join(rows))
    X = uapca.read(path)
    assert X.features == ("CT", "Ct Mean")
    assert np.array_equal(X.std, np.column_stack([np.zeros(6), ERRORS[:, 0]]))


def test_a_mean_beside_its_deviation():
    X = uapca.read({"gene": ["a", "b"], "mean": [1.0, 2.0], "sd": [0.1, 0.2], "n": [5.0, 6.0]})
    assert X.features == ("mean",)
    assert X.std.tolist() == [[0.1], [0.2]]
    table = {"x": [1.0, 2.0], "u(x)": [0.1, 0.2]}
    X = uapca.read(table | {"y\n(kg)": [1.0, 3.0], "y\n(kg) err": [1.0, 1.0]})
    assert X.features == ("x", "y\n(kg)")
    assert X.std.tolist() == [[0.1, 1.0], [0.2, 1.0]]


def test_other_sheets_are_named(tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "README"
    book.active.append(["About this workbook"])
    for row in (["id", "x", "x_err"], ["a", 1.5, 0.1], ["b", 2.5, 0.2]):
        (book["Data"] if "Data" in book.sheetnames else book.create_sheet("Data")).append(row)
    book.save(tmp_path / "book.xlsx")
    said = refused(tmp_path / "book.xlsx")
    assert said.endswith("the sheet 'README'; sheet= chooses another: Data")
    assert uapca.read(tmp_path / "book.xlsx", sheet="Data").std.tolist() == [[0.1], [0.2]]


def test_sparse_columns_and_series_of_pandas():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"x": pd.arrays.SparseArray([1.0, 0.0]), "y": [1.0, 2.0]})
    assert uapca.read(frame).mean.tolist() == [[1.0, 1.0], [0.0, 2.0]]
    with pytest.raises(TypeError, match="must be a table with named columns .* type Series"):
        uapca.read(pd.Series([1.0, 2.0]))


def test_a_laboratory_export_with_a_limit_of_detection(tmp_path):
    """A title, a line of units, separators at the end of lines, and a cell that is no number."""
    path = tmp_path / "lab.csv"
    path.write_text(
        "Instrument XY-7 export\n\nSample ID, Fe ,Fe SD,Zn,Zn SD,\n,mg/kg,mg/kg,mg/kg,mg/kg,\n"
        "S-1,12.3,0.4,3.1,0.2,\nS-2,<0.5,,2.9,0.1,\nS-3,11.9,0.5,3.3,0.2,\n"
    )
    assert "row 'S-2', column 'Fe': cannot read '<0.5' as a number" in refused(path)
    X = uapca.read(path, words={"<0.5": None}, missing="keep")
    assert X.features == ("Fe [mg/kg]", "Zn [mg/kg]")
    assert X.missing.tolist() == [[False, False], [True, False], [False, False]]


def test_points_that_can_only_separate_thousands(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text("town;people;area\nA;1.073.096;405,01\nB;331.885;141,06\nC;126.329;118,68\n")
    X = uapca.read(path)
    assert X.mean[0].tolist() == [1073096.0, 405.01]
    assert "numbers have decimal commas, and points that separate thousands" in X.origin


@pytest.mark.parametrize("above", ["k,x,y\n# values\n", "k,x,y\n\n,kg,cm\n# values\n"])
def test_points_below_a_comment(above, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text(f"# made by hand\n{above}a,1,2\nb,3,4\na,5,5\n")
    assert uapca.read(path, by="k").mean.tolist() == [[3.0, 3.5], [3.0, 4.0]]


def test_a_decimal_comma_beside_a_word_with_points(tmp_path):
    path = tmp_path / "words.csv"
    path.write_text("n;x;y\na;1,5;3\nb;2,5;n.a.\nc;3,5;4\n")
    X = uapca.read(path, words={"n.a.": None}, missing="keep")
    assert X.mean[:, 0].tolist() == [1.5, 2.5, 3.5]
