import { createHash } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'
import { check, record } from './report.mjs'

/** The compressed limit is that of the desktop app without Electron. */
const MAX_PACKAGE_BYTES = 6_000_000
const allowed =
  /^package\/((package\.json|LICENSE|README\.md|docs\/bridge-inspector\.1)$|out\/(cli|docs|page|serve|web)\/|resources\/(bridge\.d\.ts$|collection\.schema\.json$|(demo|panel)\/))/
const foreign = /\.(map|(?<!\/(?:testing|playwright|bridge)\.d\.)ts|vue)$|\/node_modules\/|\/test\/|\.env/

/**
 * Runs `npm pack` into the folder and looks at what comes out. Returns the file, or null if there
 * is none.
 */
export function packForNpm(folder) {
  mkdirSync(folder, { recursive: true })
  const packed = pack(folder)
  check('npm pack', packed)
  const { name, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const file = path.join(folder, `${name}-${version}.tgz`)
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) return null
  const { stdout } = spawnSync('tar', ['-tzf', file], { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
  const stray = stdout
    .split('\n')
    .filter((packedFile) => packedFile !== '' && (!allowed.test(packedFile) || foreign.test(packedFile)))
  record({
    name: 'the package for npm holds nothing but what is run',
    ok: stray.length === 0,
    detail: stray.join(', '),
  })
  const manifest = spawnSync('tar', ['-xOzf', file, 'package/package.json'], { encoding: 'utf8' }).stdout
  const { scripts, devDependencies, private: isPrivate } = JSON.parse(manifest)
  record({
    name: 'the package for npm has neither scripts nor development dependencies, and can be published',
    ok: scripts === undefined && devDependencies === undefined && isPrivate === undefined,
    detail: manifest,
  })
  const packedFiles = new Set(stdout.split('\n'))
  const brokenLinks = listBrokenLinks(
    packedFiles,
    (page) => spawnSync('tar', ['-xOzf', file, page], { encoding: 'utf8' }).stdout,
  )
  record({
    name: 'the package for npm has its guide, and each link in it leads to a file of the package',
    ok: packedFiles.has('package/out/docs/guide/testing.md') && brokenLinks.length === 0,
    detail: brokenLinks.join(', '),
  })
  record({ name: `the package for npm is ${size.toLocaleString('en')} bytes`, ok: size < MAX_PACKAGE_BYTES })
  const first = hashFile(file)
  record({ name: 'npm packs the same bytes again', ok: pack(folder).status === 0 && hashFile(file) === first })
  return file
}

function listBrokenLinks(packedFiles, readPage) {
  const pages = [...packedFiles].filter((name) => name.endsWith('.md'))
  return pages.flatMap((page) =>
    [...readPage(page).matchAll(/\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g)]
      .map(([, target]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !packedFiles.has(path.posix.join(path.posix.dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  )
}

const pack = (folder) => spawnSync('npm', ['pack', '--pack-destination', folder], { cwd: root, encoding: 'utf8' })
const hashFile = (file) => createHash('sha256').update(readFileSync(file)).digest('hex')
