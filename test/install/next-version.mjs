import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createPackage, extractAll } from '@electron/asar'
import { makeDeb } from '../../scripts/lib/linux-packages.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { writeUpdateFeed } from '../../scripts/lib/update-feed.mjs'

/**
 * Makes the deb of a next version out of the unpacked app, and describes it as electron-builder
 * does. Returns the folder to serve.
 */
export async function packNextVersion(version) {
  const work = path.join(root, 'dist', 'next')
  const [feed, source, app] = ['feed', 'unpacked', 'app'].map((name) => path.join(work, name))
  rmSync(work, { recursive: true, force: true })
  mkdirSync(feed, { recursive: true })
  const unpacked = path.join(root, 'dist', 'linux-unpacked')
  const archive = path.join('resources', 'app.asar')
  extractAll(path.join(unpacked, archive), app)
  // The copy needs a new path, because archive contents are cached by path.
  cpSync(unpacked, source, { recursive: true })
  const manifest = JSON.parse(readFileSync(path.join(app, 'package.json'), 'utf8'))
  writeFileSync(path.join(app, 'package.json'), JSON.stringify({ ...manifest, version }))
  await createPackage(app, path.join(source, archive))
  const deb = await makeDeb('x64', version, { quick: true, source })
  renameSync(deb, path.join(feed, path.basename(deb)))
  writeUpdateFeed({ folder: feed, version, platform: 'linux', arch: 'x64' })
  return feed
}
