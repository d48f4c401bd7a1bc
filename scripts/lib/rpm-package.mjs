import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root } from './paths.mjs'

const NAME = 'bridge-inspector'
const ZSH_COMPLETION = `usr/share/zsh/site-functions/_${NAME}`
const rpmArch = { x64: 'x86_64', arm64: 'aarch64' }

/**
 * Builds `dist/bridge-inspector-<version>-linux-<arch>.rpm` with rpmbuild from the files of a deb,
 * and returns the file's path.
 *
 * @throws Error when a tool fails.
 */
export function makeRpm(arch, version, deb, { quick = false } = {}) {
  const work = mkdtempSync(path.join(os.tmpdir(), `${NAME}-rpm-`))
  try {
    const tree = path.join(work, 'tree')
    run('dpkg-deb', ['--extract', deb, tree])
    rmSync(path.join(tree, 'usr/share/lintian'), { recursive: true, force: true })
    // zsh looks for completions here outside of Debian.
    mkdirSync(path.join(tree, 'usr/share/zsh/site-functions'), { recursive: true })
    renameSync(path.join(tree, `usr/share/zsh/vendor-completions/_${NAME}`), path.join(tree, ZSH_COMPLETION))
    rmSync(path.join(tree, 'usr/share/zsh/vendor-completions'), { recursive: true })
    // From this file the installed program knows the kind of its updates.
    writeFileSync(path.join(tree, 'usr/lib', NAME, 'resources/package-type'), 'rpm')
    const spec = path.join(work, `${NAME}.spec`)
    writeFileSync(spec, createSpec({ version, tree, quick }))
    const file = `${NAME}-${version}-linux-${rpmArch[arch]}.rpm`
    const macros = { _topdir: work, _rpmdir: path.join(root, 'dist'), _rpmfilename: file }
    const defineFlags = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`])
    run('rpmbuild', ['-bb', '--quiet', '--target', `${rpmArch[arch]}-linux`, ...defineFlags, spec])
    return path.join(root, 'dist', file)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * rpmbuild finds out which libraries are linked, because the names of packages differ between
 * distributions; the spec names only those that are loaded later. Nothing is stripped or rewritten,
 * because the fuses are in the program.
 */
function createSpec({ version, tree, quick }) {
  const postrm = readFileSync(path.join(root, 'resources/linux/postrm'), 'utf8')
  const removalCommand = /echo '[^']+'/.exec(postrm)?.[0]
  if (removalCommand === undefined) throw new Error('resources/linux/postrm says nothing.')
  return `%global debug_package %{nil}
%global _build_id_links none
%global _buildhost localhost
%global __os_install_post %{nil}
%global __requires_exclude ^libffmpeg
%global _binary_payload ${quick ? 'w1.gzdio' : 'w7.xzdio'}
Name: ${NAME}
Version: ${version.replaceAll('-', '~')}
Release: 1
Summary: See, debug and test what happens between a plugin and its host
License: MIT
AutoProv: no
Requires: libnotify.so.4()(64bit), xdg-utils
Recommends: libsecret-1.so.0()(64bit)

%description
See, debug and test what happens between a plugin and the local bridge of a note-taking host.

%install
mkdir -p %{buildroot}
cp -a '${tree}/.' %{buildroot}/

%postun
if [ "$1" = 0 ]; then
  ${removalCommand}
fi

%files
%defattr(-,root,root)
/usr/bin/${NAME}
/usr/lib/${NAME}
/usr/share/applications/${NAME}.desktop
/usr/share/bash-completion/completions/${NAME}
/usr/share/doc/${NAME}
/usr/share/fish/vendor_completions.d/${NAME}.fish
/usr/share/icons/hicolor/*/apps/${NAME}.*
/usr/share/man/man1/${NAME}.1.gz
/usr/share/metainfo/net.bridge_inspector.app.metainfo.xml
/${ZSH_COMPLETION}
`
}

function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${program} ${error ? 'is not there' : 'could not build the rpm'}.`)
}
