"""Textbook data sets and their published answers, as facts typed in from the tables.

Each data set is a table of ratings (a row an item; `_` is a missing rating), of two raters
(`*_table`: the first rater in rows) or of counts (`*_counts`: how many raters chose each
category). `EXPECTED` holds the answers: the printed figure where there is one, and the value
to twelve decimals on which two independent programs (or one and a formula) agree.
"""

from math import nan as _

# Krippendorff (2011), Computing Krippendorff's alpha-reliability, sections C-D.
KRIPPENDORFF_4X12 = [
    [1, 1, _, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [_, 5, 5, 5],
    [_, _, 1, 1],
    [_, 3, _, _],
]

# Krippendorff (2011), section A.
KRIPPENDORFF_BINARY_2X10 = [
    [0, 1],
    [1, 1],
    [0, 1],
    [0, 0],
    [0, 0],
    [0, 1],
    [0, 0],
    [0, 0],
    [1, 0],
    [0, 0],
]

# Krippendorff (2011), section B; a, b, c, d, e as 1 to 5.
KRIPPENDORFF_NOMINAL_2X12 = [
    [1, 2],
    [1, 1],
    [2, 2],
    [2, 2],
    [4, 2],
    [3, 3],
    [3, 3],
    [3, 3],
    [5, 5],
    [4, 4],
    [4, 4],
    [1, 4],
]

# Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.: as Krippendorff's, but the lone
# rating of the last unit is the third rater's.
GWET_4RATERS_12UNITS = [
    [1, 1, _, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [_, 5, 5, 5],
    [_, _, 1, 1],
    [_, _, 3, _],
]

# Gwet (2014); R irrCAC's cac.raw5obser, levels 0 to 3.
GWET_5OBSERVERS_15UNITS = [
    [1, 1, 2, _, 2],
    [1, 1, 0, 1, _],
    [2, 3, 3, 3, _],
    [_, 0, 0, _, 0],
    [0, 0, 0, _, 0],
    [0, 0, 0, _, 0],
    [1, 0, 2, _, 1],
    [1, _, 2, 0, _],
    [2, 2, 2, _, 2],
    [2, 1, 1, 1, _],
    [_, 1, 0, 0, _],
    [0, 0, 0, 0, _],
    [1, 2, 2, 2, _],
    [3, 3, 2, 2, 3],
    [1, 1, 1, _, 1],
]

# Shrout and Fleiss (1979), Psychological Bulletin 86, 420-428: six targets, four judges.
SHROUT_FLEISS_1979 = [
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]

# Siegel (1956), Nonparametric Statistics, ch. 9: authoritarianism, status striving.
SIEGEL_12_STUDENTS_RANKS = [
    [2, 3],
    [6, 4],
    [5, 2],
    [1, 1],
    [10, 8],
    [9, 11],
    [8, 10],
    [3, 6],
    [4, 7],
    [12, 12],
    [7, 5],
    [11, 9],
]

# Siegel (1956), ch. 9: three executives rank six applicants.
SIEGEL_3_EXECUTIVES_RANKS = [[1, 1, 6], [6, 5, 3], [3, 6, 2], [2, 4, 5], [5, 2, 4], [4, 3, 1]]

# scikit-learn, documentation of f1_score: truth, prediction.
SKLEARN_F1_EXAMPLE = [[0, 0], [1, 2], [2, 1], [0, 0], [1, 0], [2, 1]]

# Agresti (2002), Categorical Data Analysis, 2nd ed., table 10.8: two pathologists.
AGRESTI_CARCINOMA_TABLE = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]

# Cohen (1968), Psychological Bulletin 70, 213-220, table 1 (N = 200): personality disorder,
# neurosis, psychosis.
COHEN_1968_TABLE = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]

# Cohen (1968), the disagreement weights of that table.
COHEN_1968_DISAGREEMENT_WEIGHTS = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]

# Landis and Koch (1977), Biometrics 33, 159-174: New Orleans neurologist in rows; Winnipeg
# patients: certain, probable, possible, doubtful multiple sclerosis.
LANDIS_KOCH_MS_WINNIPEG_TABLE = [[38, 5, 0, 1], [33, 11, 3, 0], [10, 14, 5, 6], [3, 7, 3, 10]]

# Landis and Koch (1977): New Orleans patients.
LANDIS_KOCH_MS_NEW_ORLEANS_TABLE = [[5, 3, 0, 0], [3, 11, 4, 0], [2, 13, 3, 4], [1, 2, 4, 14]]

# Gwet (2014); R irrCAC's cont3x3abstractors: ectopic, abnormal, normal pregnancy.
GWET_ABSTRACTORS_TABLE = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]

# Feinstein and Cicchetti (1990), Journal of Clinical Epidemiology 43, 543-549.
FEINSTEIN_CICCHETTI_BALANCED_TABLE = [[40, 9], [6, 45]]

# The same, with as much agreement and skewed margins.
FEINSTEIN_CICCHETTI_SKEWED_TABLE = [[80, 10], [5, 5]]

# Fleiss (1971), Psychological Bulletin 76, 378-382, table 1: six raters of 30 patients;
# depression, personality disorder, schizophrenia, neurosis, other.
FLEISS_1971_COUNTS = [
    [0, 0, 0, 6, 0],
    [0, 3, 0, 0, 3],
    [0, 1, 4, 0, 1],
    [0, 0, 0, 0, 6],
    [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2],
    [2, 0, 3, 1, 0],
    [2, 0, 0, 4, 0],
    [0, 0, 0, 0, 6],
    [1, 0, 0, 5, 0],
    [1, 1, 0, 4, 0],
    [0, 3, 3, 0, 0],
    [1, 0, 0, 5, 0],
    [0, 2, 0, 3, 1],
    [0, 0, 5, 0, 1],
    [3, 0, 0, 1, 2],
    [5, 1, 0, 0, 0],
    [0, 2, 0, 4, 0],
    [1, 0, 2, 0, 3],
    [0, 0, 0, 0, 6],
    [0, 1, 0, 5, 0],
    [0, 2, 0, 1, 3],
    [2, 0, 0, 4, 0],
    [1, 0, 0, 4, 1],
    [0, 5, 0, 1, 0],
    [4, 0, 0, 0, 2],
    [0, 2, 0, 4, 0],
    [1, 0, 5, 0, 0],
    [0, 0, 0, 0, 6],
]

# Wikipedia, Fleiss' kappa: 14 raters of ten subjects.
FLEISS_WIKIPEDIA_COUNTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


# Data set, coefficient, what (estimate, error, low, high), printed figure, value.
EXPECTED = [
    ("KRIPPENDORFF_4X12", "krippendorff_alpha_nominal", "estimate", "0.743", 0.743421052632),
    ("KRIPPENDORFF_4X12", "krippendorff_alpha_ordinal", "estimate", "0.815", 0.815387503755),
    ("KRIPPENDORFF_4X12", "krippendorff_alpha_interval", "estimate", "0.849", 0.849107142857),
    ("KRIPPENDORFF_4X12", "krippendorff_alpha_ratio", "estimate", "0.797", 0.797402774712),
    ("GWET_4RATERS_12UNITS", "gwet_ac1", "estimate", "0.77544", 0.775444068127),
    ("GWET_4RATERS_12UNITS", "gwet_ac1", "error", "0.14295", 0.142949950641),
    ("GWET_4RATERS_12UNITS", "fleiss_kappa", "estimate", "0.76117", 0.761169275422),
    ("GWET_4RATERS_12UNITS", "fleiss_kappa", "error", "0.15302", 0.153019203469),
    ("GWET_4RATERS_12UNITS", "conger_kappa", "estimate", "0.76282", 0.762817441303),
    ("GWET_4RATERS_12UNITS", "conger_kappa", "error", "0.14917", 0.149168152480),
    ("GWET_4RATERS_12UNITS", "brennan_prediger", "estimate", "0.77273", 0.772727272727),
    ("GWET_4RATERS_12UNITS", "brennan_prediger", "error", "0.14472", 0.144716619899),
    ("GWET_4RATERS_12UNITS", "mean_percent_agreement", "estimate", "0.81818", 0.818181818182),
    ("GWET_4RATERS_12UNITS", "gwet_ac2", "estimate", "", 0.914000723552),
    ("GWET_4RATERS_12UNITS", "krippendorff_alpha_nominal", "error", "", 0.145573886985),
    ("KRIPPENDORFF_BINARY_2X10", "krippendorff_alpha_nominal", "estimate", "0.095", 0.095238095238),
    (
        "KRIPPENDORFF_NOMINAL_2X12",
        "krippendorff_alpha_nominal",
        "estimate",
        "0.692",
        0.691964285714,
    ),
    ("FLEISS_1971_COUNTS", "fleiss_kappa", "estimate", "0.430", 0.430244520060),
    ("FLEISS_1971_COUNTS", "fleiss_kappa of category 1", "estimate", "0.245", 0.244755244755),
    ("FLEISS_1971_COUNTS", "fleiss_kappa of category 2", "estimate", "0.245", 0.244755244755),
    ("FLEISS_1971_COUNTS", "fleiss_kappa of category 3", "estimate", "0.520", 0.520000000000),
    ("FLEISS_1971_COUNTS", "fleiss_kappa of category 4", "estimate", "0.471", 0.471127272727),
    ("FLEISS_1971_COUNTS", "fleiss_kappa of category 5", "estimate", "0.566", 0.566117806824),
    ("FLEISS_1971_COUNTS", "krippendorff_alpha_nominal", "estimate", "", 0.433409828282),
    ("FLEISS_WIKIPEDIA_COUNTS", "fleiss_kappa", "estimate", "0.210", 0.209930704422),
    ("COHEN_1968_TABLE", "cohen_kappa", "estimate", "0.492", 0.491525423729),
    ("COHEN_1968_TABLE", "weighted_kappa_quadratic", "estimate", "", 0.454545454545),
    ("COHEN_1968_TABLE", "weighted_kappa", "estimate", "0.348", 0.347826086957),
    ("AGRESTI_CARCINOMA_TABLE", "cohen_kappa", "estimate", "0.493", 0.493005595524),
    ("AGRESTI_CARCINOMA_TABLE", "weighted_kappa_quadratic", "estimate", "0.78", 0.783821871477),
    ("LANDIS_KOCH_MS_WINNIPEG_TABLE", "cohen_kappa", "estimate", "0.208", 0.207942464040),
    ("LANDIS_KOCH_MS_WINNIPEG_TABLE", "weighted_kappa_quadratic", "estimate", "", 0.524576464332),
    ("LANDIS_KOCH_MS_NEW_ORLEANS_TABLE", "cohen_kappa", "estimate", "0.297", 0.296516567545),
    (
        "LANDIS_KOCH_MS_NEW_ORLEANS_TABLE",
        "weighted_kappa_quadratic",
        "estimate",
        "",
        0.625581395349,
    ),
    ("GWET_ABSTRACTORS_TABLE", "cohen_kappa", "estimate", "0.796", 0.796409402184),
    ("GWET_ABSTRACTORS_TABLE", "weighted_kappa_quadratic", "estimate", "", 0.892156862745),
    ("GWET_ABSTRACTORS_TABLE", "gwet_ac1", "estimate", "0.84933", 0.849330548231),
    ("GWET_ABSTRACTORS_TABLE", "cohen_kappa", "error", "", 0.058910718326),
    ("FEINSTEIN_CICCHETTI_BALANCED_TABLE", "cohen_kappa", "estimate", "0.70", 0.699519230769),
    ("FEINSTEIN_CICCHETTI_BALANCED_TABLE", "gwet_ac1", "estimate", "", 0.700748129676),
    ("FEINSTEIN_CICCHETTI_BALANCED_TABLE", "percent_agreement", "estimate", "0.85", 0.850000000000),
    ("FEINSTEIN_CICCHETTI_SKEWED_TABLE", "cohen_kappa", "estimate", "0.32", 0.318181818182),
    ("FEINSTEIN_CICCHETTI_SKEWED_TABLE", "gwet_ac1", "estimate", "", 0.808000000000),
    ("FEINSTEIN_CICCHETTI_SKEWED_TABLE", "percent_agreement", "estimate", "0.85", 0.850000000000),
    ("GWET_5OBSERVERS_15UNITS", "gwet_ac1", "estimate", "", 0.496622054873),
    ("GWET_5OBSERVERS_15UNITS", "fleiss_kappa", "estimate", "", 0.457621686772),
    ("GWET_5OBSERVERS_15UNITS", "krippendorff_alpha_nominal", "estimate", "", 0.480530240265),
    ("GWET_5OBSERVERS_15UNITS", "gwet_ac2", "estimate", "", 0.830433572655),
    ("GWET_5OBSERVERS_15UNITS", "fleiss_kappa_quadratic", "estimate", "", 0.750719128305),
    ("GWET_5OBSERVERS_15UNITS", "krippendorff_alpha_interval", "estimate", "", 0.771864808776),
    ("GWET_5OBSERVERS_15UNITS", "krippendorff_alpha_ordinal", "estimate", "", 0.768685159486),
    ("SHROUT_FLEISS_1979", "icc1", "estimate", "0.17", 0.165741768405),
    ("SHROUT_FLEISS_1979", "icc2", "estimate", "0.29", 0.289763779528),
    ("SHROUT_FLEISS_1979", "icc3", "estimate", "0.71", 0.714840714841),
    ("SHROUT_FLEISS_1979", "icc1k", "estimate", "0.44", 0.442797133679),
    ("SHROUT_FLEISS_1979", "icc2k", "estimate", "0.62", 0.620050547599),
    ("SHROUT_FLEISS_1979", "icc3k", "estimate", "0.91", 0.909315542377),
    ("SIEGEL_12_STUDENTS_RANKS", "spearman_rho", "estimate", "0.82", 0.818181818182),
    ("SIEGEL_12_STUDENTS_RANKS", "kendall_tau_b", "estimate", "0.67", 0.666666666667),
    ("SIEGEL_3_EXECUTIVES_RANKS", "kendall_w", "estimate", "0.16", 0.161904761905),
    ("SKLEARN_F1_EXAMPLE", "f1_macro", "estimate", "0.267", 0.266666666667),
    ("SKLEARN_F1_EXAMPLE", "f1_micro", "estimate", "0.333", 0.333333333333),
    ("SKLEARN_F1_EXAMPLE", "f1_weighted", "estimate", "0.267", 0.266666666667),
    ("SHROUT_FLEISS_1979", "icc1", "low", "-0.13", -0.132932324875),
    ("SHROUT_FLEISS_1979", "icc1", "high", "0.72", 0.722560062328),
    ("SHROUT_FLEISS_1979", "icc2", "low", "0.02", 0.018786513375),
    ("SHROUT_FLEISS_1979", "icc2", "high", "0.76", 0.761084369649),
    ("SHROUT_FLEISS_1979", "icc3", "low", "0.34", 0.342464765034),
    ("SHROUT_FLEISS_1979", "icc3", "high", "0.95", 0.945858259955),
    ("SHROUT_FLEISS_1979", "icc1k", "low", "", -0.884442155238),
    ("SHROUT_FLEISS_1979", "icc1k", "high", "", 0.912415420341),
    ("SHROUT_FLEISS_1979", "icc2k", "low", "", 0.071136815303),
    ("SHROUT_FLEISS_1979", "icc2k", "high", "", 0.927232040168),
    ("SHROUT_FLEISS_1979", "icc3k", "low", "", 0.675674713816),
    ("SHROUT_FLEISS_1979", "icc3k", "high", "", 0.985891678169),
]
