import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { extractFile, listPackage } from '@electron/asar'

const require = createRequire(import.meta.url)
const { fuses, readFuses } = require('../../scripts/lib/fuses.cjs')

/** Compressed size of the project's own part of a package. */
const MAX_PACKAGE_BYTES = 6_000_000

/** Where our files may be in the archive. */
const allowed =
  /^\/(package\.json$|out$|resources$|out\/(main|page|preload|renderer)(\/|$)|resources\/(bridge\.d\.ts$|(demo|panel)(\/|$)))/
const foreign = /\.(map|(?<!\/bridge\.d\.)ts|vue|md)$|\/node_modules\/|\/test\/|\.env/

/** Checks the unpacked app and its deb; each result is `{ name, ok, detail }`. */
export async function inspectPackage(folder, deb) {
  const archive = path.join(folder, 'resources', 'app.asar')
  const files = listPackage(archive)
  const stray = files.filter((file) => !allowed.test(file) || foreign.test(file))
  const size = gzipSync(readFileSync(archive)).length
  const wire = await readFuses(path.join(folder, 'bridge-inspector'))
  const wrong = wire.filter(({ name, on }) => fuses[name] !== on)
  const beside = readdirSync(path.join(folder, 'resources'))
  const entry = readDesktopEntry(deb)
  return [
    { name: 'holds nothing but what is run', ok: stray.length === 0, detail: stray.slice(0, 20).join(', ') },
    { name: `is ${size.toLocaleString('en')} bytes without Electron, compressed`, ok: size < MAX_PACKAGE_BYTES },
    { name: 'has one archive and no other entry', ok: beside.join() === 'app.asar', detail: beside.join(', ') },
    { name: 'has every fuse as decided', ok: wrong.length === 0, detail: wrong.map(({ name }) => name).join(', ') },
    {
      name: 'has the licenses beside it',
      ok: ['LICENSE.txt', 'third-party-licenses.txt'].every((name) => existsSync(path.join(folder, name))),
    },
    {
      name: 'names what runs in its package.json',
      ok: JSON.parse(extractFile(archive, 'package.json')).main === 'out/main/main.js',
    },
    {
      name: 'has a menu entry with its links and recordings and without --no-sandbox',
      ok:
        /^MimeType=x-scheme-handler\/bridge-inspector;application\/x-bridge-inspector-recording;$/m.test(entry) &&
        !entry.includes('sandbox'),
      detail: entry,
    },
    ...inspectDeb(deb),
    {
      name: 'has the sandbox helper with the mode that it takes',
      ok: (statSync(path.join(folder, 'chrome-sandbox')).mode & 0o7777) === 0o4755,
    },
  ]
}

/** Checks the desktop integration of the deb, and runs Debian's own checker on it. */
function inspectDeb(deb) {
  const { stdout } = spawnSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
  const expected = [
    'share/man/man1/bridge-inspector.1.gz',
    'share/bash-completion/completions/bridge-inspector',
    'share/zsh/vendor-completions/_bridge-inspector',
    'share/fish/vendor_completions.d/bridge-inspector.fish',
    'share/metainfo/net.bridge_inspector.app.metainfo.xml',
    'share/mime/packages/bridge-inspector.xml',
    'share/icons/hicolor/scalable/apps/bridge-inspector.svg',
    'share/doc/bridge-inspector/changelog.gz',
    'share/doc/bridge-inspector/copyright',
  ]
  const absent = expected.filter((file) => !stdout.includes(` ./usr/${file}\n`))
  const lintian = spawnSync('lintian', ['--allow-root', '--fail-on', 'none', deb], { encoding: 'utf8' })
  const complaints = `${lintian.stdout ?? ''}`.split('\n').filter((line) => /^[EW]: /.test(line) && !quick.test(line))
  return [
    { name: 'has what a system expects beside a program', ok: absent.length === 0, detail: absent.join(', ') },
    {
      name: 'lintian finds nothing',
      ok: lintian.status === 0 && complaints.length === 0,
      detail: complaints.join('; '),
    },
  ]
}

/** Only packages that are packed quickly, to be tried, are not compressed. */
const quick = /uses-no-compression-for/

function readDesktopEntry(deb) {
  const file = './usr/share/applications/bridge-inspector.desktop'
  const command = 'dpkg-deb --fsys-tarfile "$0" | tar -xO "$1"'
  return spawnSync('sh', ['-c', command, deb, file], { encoding: 'utf8' }).stdout
}

/** Hashes the project's own files in the unpacked app. */
export const hashArchive = (folder) =>
  createHash('sha256')
    .update(readFileSync(path.join(folder, 'resources', 'app.asar')))
    .digest('hex')
