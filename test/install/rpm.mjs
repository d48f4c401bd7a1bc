import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const KIND = 'usr/lib/bridge-inspector/resources/package-type'

/**
 * What must hold of the rpm, each as `{ name, ok, detail }`: installed by rpm into a folder,
 * because Debian's own packages are not in its database, it is the same files as the deb. As root.
 */
export function inspectRpm(rpm, deb) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-rpm-'))
  try {
    const [installedFolder, expected] = ['installed', 'expected'].map((name) => path.join(folder, name))
    const installed = run('rpm', ['--install', '--nodeps', '--root', installedFolder, rpm])
    const unpacked = run('dpkg-deb', ['--extract', deb, expected])
    if (installed.status !== 0 || unpacked.status !== 0) {
      return [{ name: 'rpm: installs', ok: false, detail: installed.stderr + unpacked.stderr }]
    }
    const kinds = [installedFolder, expected].map((place) => readFileSync(path.join(place, KIND), 'utf8'))
    const [installedFiles, expectedFiles] = [installedFolder, expected].map((place) => listFiles(place))
    const differing = [...new Set([...installedFiles.keys(), ...expectedFiles.keys()])].filter(
      (name) => installedFiles.get(name) !== expectedFiles.get(name),
    )
    const requires = run('rpm', ['--query', '--package', '--requires', rpm]).stdout
    const scripts = run('rpm', ['--query', '--package', '--scripts', rpm]).stdout
    const removed = run('rpm', ['--erase', '--noscripts', '--root', installedFolder, 'bridge-inspector'])
    const left = listFiles(installedFolder)
    return [
      { name: 'rpm: installs', ok: true },
      { name: 'rpm: names its kind for updates', ok: kinds.join() === 'rpm,deb', detail: kinds.join(', ') },
      {
        name: `rpm: is the ${expectedFiles.size} files of the deb, byte for byte, with their modes`,
        ok: expectedFiles.size > 0 && differing.length === 0,
        detail: differing.slice(0, 20).join(', '),
      },
      {
        name: 'rpm: requires what the program is linked with, and nothing that it brings',
        ok: requires.includes('libnss3.so()') && !requires.includes('libffmpeg'),
        detail: requires,
      },
      { name: 'rpm: says where the data stays', ok: scripts.includes('stay in ~/.config/bridge-inspector') },
      {
        name: 'rpm: leaves nothing when it is removed',
        ok: removed.status === 0 && left.size === 0,
        detail: removed.stderr + [...left.keys()].slice(0, 20).join(', '),
      },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * What each file of the program is, by its path; without the overrides for Debian's own checker and
 * the kind of the package.
 */
function listFiles(folder) {
  const files = new Map()
  for (const entry of readdirSync(path.join(folder, 'usr'), { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder, file).replace('zsh/site-functions', 'zsh/vendor-completions')
    if (entry.isDirectory() || name === KIND || name.startsWith('usr/share/lintian/')) continue
    const mode = (lstatSync(file).mode & 0o7777).toString(8)
    files.set(name, entry.isSymbolicLink() ? `-> ${readlinkSync(file)}` : `${mode} ${hashFile(file)}`)
  }
  return files
}

const hashFile = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')

const run = (program, args) => spawnSync(program, args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
