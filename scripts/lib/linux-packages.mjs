import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Installer } from 'electron-installer-debian'
import { root } from './paths.mjs'

const NAME = 'bridge-inspector'
const getUnpackedFolder = (arch) =>
  path.join(root, 'dist', arch === 'x64' ? 'linux-unpacked' : `linux-${arch}-unpacked`)
const debianArch = { x64: 'amd64', arm64: 'arm64' }

/**
 * Returns the time of the last change of the sources, in seconds, so that the same sources always
 * make the same archive.
 */
function readSourceTime() {
  if (process.env.SOURCE_DATE_EPOCH) return process.env.SOURCE_DATE_EPOCH
  const { stdout, status } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  return status === 0 && /^\d+\s*$/.test(stdout) ? stdout.trim() : '0'
}

/**
 * Packs the unpacked app into `dist/bridge-inspector-<version>-linux-<arch>.tar.gz` and returns the
 * file's path.
 *
 * @throws Error when tar fails.
 */
export function makeTarball(arch, version) {
  const name = `${NAME}-${version}`
  const file = path.join(root, 'dist', `${name}-linux-${arch}.tar.gz`)
  const reproducibleFlags = [
    '--sort=name',
    `--mtime=@${readSourceTime()}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=go-w',
  ]
  const { status } = spawnSync(
    'tar',
    [
      '--create',
      '--use-compress-program=gzip -n',
      `--file=${file}`,
      ...reproducibleFlags,
      `--transform=s,^\\.,${name},`,
      '-C',
      getUnpackedFolder(arch),
      '.',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  if (status !== 0) throw new Error('tar could not pack the app.')
  return file
}

/**
 * Debian's own variables give the address of the person who builds the package. The project has no
 * public address.
 */
const maintainer = `${process.env.DEBFULLNAME ?? 'Bridge Inspector'} <${process.env.DEBEMAIL ?? 'bridge-inspector@localhost'}>`

/**
 * lintian reports these findings, which stay: Electron is packed as it is published, with its
 * symbols, the fuses in its binary, and the libraries that Chromium brings along.
 */
const lintianOverrides = [
  'embedded-library * [usr/lib/bridge-inspector/*]',
  'unstripped-binary-or-object [usr/lib/bridge-inspector/*]',
  // Without user namespaces Chromium needs its setuid helper.
  'elevated-privileges 4755 root/root [usr/lib/bridge-inspector/chrome-sandbox]',
  ...(process.env.DEBEMAIL ? [] : ['bogus-mail-host *', 'bogus-mail-host-in-debian-changelog *']),
]

/**
 * The Debian package adds a launcher in the path and the other files that a system expects beside
 * the program.
 */
class DebianPackage extends Installer {
  get contentFunctions() {
    const replacedFunctions = ['createBinarySymlink', 'createCopyright']
    return [...super.contentFunctions.filter((name) => !replacedFunctions.includes(name)), 'addSystemFiles']
  }

  async addSystemFiles() {
    // The module is imported only now, because it needs a Node that reads TypeScript.
    const { createSystemFiles } = await import('./system-files.mjs')
    const date = new Date(Number(readSourceTime()) * 1000)
    const licenses = readFileSync(path.join(this.options.src, 'third-party-licenses.txt'), 'utf8')
    const packageFacts = { version: this.options.version, maintainer, date, licenses }
    for (const { file, data, mode } of createSystemFiles(packageFacts)) {
      const target = path.join(this.stagingDir, file)
      mkdirSync(path.dirname(target), { recursive: true, mode: 0o755 })
      writeFileSync(target, data)
      chmodSync(target, mode)
    }
  }
}

const RECORDING_TYPE = 'application/x-bridge-inspector-recording'

/** Lets the system know recordings by the end of their names; dpkg's trigger reads the file. */
function addRecordingType(packageFolder) {
  const folder = path.join(packageFolder, 'usr', 'share', 'mime', 'packages')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    path.join(folder, `${NAME}.xml`),
    `<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="${RECORDING_TYPE}">
    <comment>Bridge Inspector recording</comment>
    <sub-class-of type="application/zip"/>
    <glob pattern="*.birec"/>
  </mime-type>
</mime-info>
`,
  )
}

/**
 * Builds `dist/bridge-inspector_<version>_<arch>.deb` with Debian's own dpkg and fakeroot, and
 * returns the file's path.
 */
export async function makeDeb(arch, version, { quick = false, source = getUnpackedFolder(arch) } = {}) {
  // Without user namespaces Chromium needs its setuid helper; the installer leaves the mode to the
  // packager.
  if (existsSync(path.join(source, 'chrome-sandbox'))) chmodSync(path.join(source, 'chrome-sandbox'), 0o4755)
  // From this file the installed program knows the kind of its updates; electron-builder's packages
  // have it too.
  const kind = path.join(source, 'resources', 'package-type')
  writeFileSync(kind, 'deb')
  const sizes = [16, 24, 32, 48, 64, 128, 256, 512]
  const installer = new DebianPackage({
    src: source,
    dest: path.join(root, 'dist'),
    arch: debianArch[arch],
    rename: (dest) => path.join(dest, `${NAME}_${version}_${debianArch[arch]}.deb`),
    logger: () => undefined,
    options: {
      name: NAME,
      productName: 'Bridge Inspector',
      genericName: 'Bridge debugger',
      bin: NAME,
      version,
      maintainer,
      lintianOverrides,
      description: 'See, debug and test what happens between a plugin and its host',
      productDescription:
        readFileSync(path.join(root, 'package.json'), 'utf8').match(/"description": "([^"]+)"/)?.[1] ?? '',
      section: 'devel',
      // The program does not start without these packages; the installer only recommends them.
      depends: ['libasound2t64 | libasound2', 'libc6'],
      categories: ['Development'],
      mimeType: ['x-scheme-handler/bridge-inspector', RECORDING_TYPE],
      icon: Object.fromEntries(
        sizes.map((size) => [`${size}x${size}`, path.join(root, 'resources', 'icons', `${size}x${size}.png`)]),
      ),
      scripts: { postrm: path.join(root, 'resources', 'linux', 'postrm') },
      compression: quick ? 'none' : 'xz',
    },
  })
  await installer.generateDefaults()
  await installer.generateOptions()
  await installer.createStagingDir()
  await installer.createContents()
  addRecordingType(installer.stagingDir)
  await installer.createPackage()
  await installer.movePackage()
  rmSync(kind)
  return path.join(root, 'dist', `${NAME}_${version}_${debianArch[arch]}.deb`)
}
