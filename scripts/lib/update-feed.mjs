import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** An installed copy can replace itself with such a file. */
const packagePatterns = { linux: /\.(deb|rpm|AppImage)$/, darwin: /\.zip$/, win32: /\.exe$/ }
const feedNames = { linux: 'latest-linux', darwin: 'latest-mac', win32: 'latest' }

/**
 * Describes the packages in a folder for electron-updater (`latest-linux.yml` and the like), with
 * their checksums. Returns the path of the description, or null if the folder has no package to
 * update to.
 */
export function writeUpdateFeed({ folder, version, platform, arch }) {
  const fileNames = readdirSync(folder).filter((name) => packagePatterns[platform].test(name))
  if (fileNames.length === 0) return null
  const lines = fileNames.sort().flatMap((name) => {
    const body = readFileSync(path.join(folder, name))
    const sha512 = createHash('sha512').update(body).digest('base64')
    return [`  - url: ${name}`, `    sha512: ${sha512}`, `    size: ${body.length}`]
  })
  const suffix = platform === 'linux' && arch !== 'x64' ? `-${arch}` : ''
  const file = path.join(folder, `${feedNames[platform]}${suffix}.yml`)
  writeFileSync(file, `${[`version: ${version}`, 'files:', ...lines].join('\n')}\n`)
  return file
}
