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
    assert "bio_rep, tech_rep (counts rows)" in X.origin
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
    assert "left out: smoker, comment" in X.origin


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
    assert X.laws[0].marginals[0].mode == VALUES[0, 0]


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
    assert "makes one of -999; pass words={'-999': None} if that means no value" in refused(path)
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
    assert X.features == ("iron_mean", "n")
    assert "left out: iron_n (numbers of observations)" in X.origin
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
