from forebay.support.c_compiler import c_compiler_command


def test_cc_is_a_command_and_comes_before_path(tmp_path, monkeypatch):
    (tmp_path / "clang").write_text("")
    (tmp_path / "clang").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CC", "gcc -m32")
    assert c_compiler_command() == ["gcc", "-m32"]
    monkeypatch.delenv("CC")
    assert c_compiler_command() == [str(tmp_path / "clang")]
    (tmp_path / "clang").unlink()
    assert c_compiler_command() is None
