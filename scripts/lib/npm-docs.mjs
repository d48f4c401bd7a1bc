// Makes the documentation of the package for npm. The guide is written for a checkout; a link to a
// file that the package does not contain becomes its text, and such a picture is left out.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './paths.mjs'

const FOLDER = 'out/docs'
const pages = [
  ...readdirSync(path.join(root, 'docs/guide')).map((name) => `docs/guide/${name}`),
  ...['command-line', 'contract', 'glossary', 'overrides', 'recording-format', 'rules'].map(
    (name) => `docs/${name}.md`,
  ),
]
/** Files of the checkout that the package contains, by where they are in the package. */
const places = new Map([
  ['README.md', 'README.md'],
  ['LICENSE', 'LICENSE'],
  ...pages.map((page) => [page, `out/${page}`]),
])

/** Writes the pages beside the other built files, and returns the README. */
export function writeNpmDocs() {
  rmSync(path.join(root, FOLDER), { recursive: true, force: true })
  for (const page of pages) {
    const file = path.join(root, places.get(page))
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, adaptLinks(readFileSync(path.join(root, page), 'utf8'), page))
  }
  return adaptLinks(readFileSync(path.join(root, 'README.md'), 'utf8'), 'README.md')
}

/** @param page path of the Markdown text in the checkout */
export function adaptLinks(text, page) {
  const adapted = text.replace(/(!?)\[([^\]\n]*)\]\(([^)\s]+)\)/g, (link, mark, label, target) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return link
    const [file, anchor] = target.split('#')
    const place = places.get(path.posix.join(path.posix.dirname(page), file))
    if (place === undefined) return mark === '!' ? '' : label
    const relative = path.posix.relative(path.posix.dirname(places.get(page)), place)
    return `${mark}[${label}](${relative}${anchor === undefined ? '' : `#${anchor}`})`
  })
  // Where a picture stood, there is only one empty line.
  return adapted.replace(/\n{3,}/g, '\n\n')
}
