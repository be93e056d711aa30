# Homebrew formula. `npm run recipes` fills in version and digest of the archive that npm packed.
class Interlock < Formula
  desc "Gate between AI agents and your shell: policy, approval, lockout, audit"
  homepage "https://github.com/interlock-gate/interlock"
  url "https://github.com/interlock-gate/interlock/releases/download/v@VERSION@/interlock-gate-interlock-@VERSION@.tgz"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args(ignore_scripts: true)
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec.glob("share/man/man1/*")
    generate_completions_from_executable(bin/"interlock", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/interlock --version")
    system bin/"interlock", "self-test"
  end
end
