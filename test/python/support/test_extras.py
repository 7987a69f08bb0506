import pytest

from forebay.support.extras import MissingExtraError, require_extra, require_installed


def test_a_missing_package_names_the_extra():
    assert require_extra("json", "sweep", "x").loads("1") == 1
    with pytest.raises(MissingExtraError) as error:
        require_extra("no_such_package", "sweep", "Parquet is written by pyarrow")
    assert str(error.value) == (
        "Parquet is written by pyarrow, which needs the package 'no_such_package': "
        "pip install 'forebay[sweep]'"
    )


def test_a_package_is_found_without_its_import():
    require_installed("json", "sweep", "x")
    with pytest.raises(MissingExtraError, match="needs the package 'no_such_package'"):
        require_installed("no_such_package", "jax", "JAX exports the function")
