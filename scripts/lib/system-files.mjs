import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { loadCommands } from '../../cli/commands/index.ts'
import { createCompletionScript } from '../../cli/describe/completion-script.ts'
import { flagsWithValue } from '../../electron/config.ts'
import { commandNames } from '../../electron/system/command-names.ts'
import { root } from './paths.mjs'

const commands = await loadCommands()

const NAME = 'bridge-inspector'
const readText = (...names) => readFileSync(path.join(root, ...names), 'utf8')
/** The header has no time, so that the same text always makes the same bytes. */
const gzipReproducibly = (text) => gzipSync(text, { level: 9 })

/** Reads the script that users start: it decides by the arguments which switches Chromium gets. */
export function readLauncher() {
  return readText('resources', 'linux', 'launcher.sh')
    .replace('@VALUE_FLAGS@', flagsWithValue.join(' | '))
    .replace('@COMMANDS@', commandNames.filter((word) => word !== 'open').join(' | '))
}

/**
 * Lists the files that a Linux package contains besides the program, as `{ file, data, mode }` with
 * paths below the root of the file system.
 * @param {{ version: string, maintainer: string, date: Date, licenses: string }} about `licenses`
 *   is the text of the licenses of bundled packages.
 */
export function createSystemFiles({ version, maintainer, date, licenses }) {
  const metainfo = readText('resources', 'linux', 'metainfo.xml')
    .replace('@VERSION@', version)
    .replace('@DATE@', date.toISOString().slice(0, 10))
  const files = [
    [`usr/share/man/man1/${NAME}.1.gz`, gzipReproducibly(readText('docs', `${NAME}.1`))],
    [`usr/share/bash-completion/completions/${NAME}`, createCompletionScript('bash', commands)],
    [`usr/share/zsh/vendor-completions/_${NAME}`, createCompletionScript('zsh', commands)],
    [`usr/share/fish/vendor_completions.d/${NAME}.fish`, createCompletionScript('fish', commands)],
    ['usr/share/metainfo/net.bridge_inspector.app.metainfo.xml', metainfo],
    [`usr/share/icons/hicolor/scalable/apps/${NAME}.svg`, readText('renderer', 'public', 'icon.svg')],
    [
      `usr/share/doc/${NAME}/changelog.gz`,
      gzipReproducibly(toDebianChangelog(readText('CHANGELOG.md'), maintainer, date)),
    ],
    [`usr/share/doc/${NAME}/copyright`, createCopyrightFile(licenses)],
  ]
  return [
    { file: `usr/bin/${NAME}`, data: readLauncher(), mode: 0o755 },
    ...files.map(([file, data]) => ({ file, data, mode: 0o644 })),
  ]
}

/**
 * Converts the changelog to Debian's form. Only the text of each version is known, so all get the
 * time of the sources.
 */
export function toDebianChangelog(markdown, maintainer, date) {
  const versions = markdown.split(/^## /m).slice(1)
  if (versions.length === 0) throw new Error('CHANGELOG.md has no version.')
  return versions
    .map((section) => {
      const [version, ...lines] = section.split('\n')
      const items = lines.filter((line) => line.startsWith('- ')).map((line) => wrapListItem(line.slice(2)))
      const time = date.toUTCString().replace('GMT', '+0000')
      return `${NAME} (${version.trim()}) unstable; urgency=medium\n\n${items.join('\n')}\n\n -- ${maintainer}  ${time}\n`
    })
    .join('\n')
}

function wrapListItem(text) {
  const lines = ['  *']
  for (const word of text.split(/\s+/)) {
    if (lines.at(-1).length + word.length > 78) lines.push('   ')
    lines[lines.length - 1] += ` ${word}`
  }
  return lines.join('\n')
}

const SEPARATOR = `\n${'-'.repeat(80)}\n`

/**
 * Debian installs these texts once for all packages, and wants them referred to instead of
 * repeated.
 */
const commonLicenses = [
  [/Apache License\s+Version 2\.0, January 2004/, 'Apache-2.0'],
  [/GNU LESSER GENERAL PUBLIC LICENSE|GNU Lesser General Public/, 'LGPL'],
  [/GNU GENERAL PUBLIC LICENSE|GNU General Public/, 'GPL'],
]

/**
 * Shortens the license of a package: keeps its name and its lines of copyright, and refers to the
 * text if Debian installs it.
 */
function referToCommonLicenses(terms) {
  const names = commonLicenses.flatMap(([pattern, name]) => (pattern.test(terms) ? [name] : []))
  if (names.length === 0) return terms
  const [title = '', ...lines] = terms.trim().split('\n')
  const owners = lines.filter((line) => /^\s*copyright (?:\(c\)|©|\d{4})/i.test(line)).map((line) => line.trim())
  const places = names.map((name) => `/usr/share/common-licenses/${name}`)
  return `\n${[title, '', ...new Set(owners), ...places].join('\n')}\n`
}

/**
 * The file contains our license and those of bundled packages, and tells where Electron's and
 * Chromium's are.
 */
const createCopyrightFile = (licenses) => `Bridge Inspector

${readText('LICENSE')}
--------------------------------------------------------------------------------

The program runs on Electron and Chromium. Their terms, and those of what they
are made of, are installed beside it:
  /usr/lib/${NAME}/LICENSE.electron.txt
  /usr/lib/${NAME}/LICENSES.chromium.html

It is built from the following packages. Their terms are installed whole in
  /usr/lib/${NAME}/third-party-licenses.txt

--------------------------------------------------------------------------------

${licenses.split(SEPARATOR).map(referToCommonLicenses).join(SEPARATOR)}`
