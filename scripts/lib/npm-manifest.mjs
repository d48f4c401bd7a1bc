import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeNpmDocs } from './npm-docs.mjs'
import { root } from './paths.mjs'

/**
 * Only a checkout needs these members, because the package for npm contains bundles. `main` is the
 * desktop app, which that package does not contain.
 */
const checkoutOnlyMembers = [
  'scripts',
  'dependencies',
  'optionalDependencies',
  'devDependencies',
  'overrides',
  'prettier',
  'main',
  'productName',
]

/** Returns the manifest that users of the package for npm get. */
export function toPublishedManifest(manifest) {
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => !checkoutOnlyMembers.includes(name)))
}

/**
 * Replaces the checkout's manifest and README while `npm pack` runs, because npm packs these files
 * as they are.
 */
export function reduceManifest() {
  // An interrupted pack leaves the replaced files behind.
  restoreManifest()
  const manifestText = readFileSync(path.join(root, 'package.json'), 'utf8')
  replace('package.json', `${JSON.stringify(toPublishedManifest(JSON.parse(manifestText)), null, 2)}\n`)
  replace('README.md', writeNpmDocs())
}

/** npm would pack a file whose name begins with README. */
const getBackupFile = (name) => path.join(root, `.${name}.whole`)

function replace(name, text) {
  copyFileSync(path.join(root, name), getBackupFile(name))
  writeFileSync(path.join(root, name), text)
}

export function restoreManifest() {
  for (const name of ['package.json', 'README.md'])
    if (existsSync(getBackupFile(name))) renameSync(getBackupFile(name), path.join(root, name))
}
