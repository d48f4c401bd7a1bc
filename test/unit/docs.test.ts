import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createContractDoc } from '../../scripts/lib/contract.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { createRulesDoc } from '../../scripts/lib/rules.mjs'

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** Files in these folders, by path from the root. */
function files(folders: readonly string[], kinds: RegExp): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => kinds.test(file) && !file.includes('node_modules'))
      .map((file) => path.posix.join(folder, file.split(path.sep).join('/'))),
  )
}

const code = files(['shared', 'electron', 'renderer', 'cli', 'testing', 'test'], /\.(ts|vue)$/).map((file) => ({
  file,
  text: read(file),
}))

/**
 * Numbers that follow these words in the code, with the files that name them: `safety 17, 18`,
 * `safety 12-14`.
 */
function numbersBehind(words: RegExp): Map<number, string[]> {
  const pagesByNumber = new Map<number, string[]>()
  for (const { file, text } of code) {
    for (const [, list = ''] of text.matchAll(words)) {
      for (const [, from, to] of list.matchAll(/(\d+)(?:[-–](\d+))?/g)) {
        for (let number = Number(from); number <= Number(to ?? from); number += 1) {
          pagesByNumber.set(number, [...(pagesByNumber.get(number) ?? []), file])
        }
      }
    }
  }
  return pagesByNumber
}

test('the README is short', () => {
  expect(Buffer.byteLength(read('README.md'))).toBeLessThanOrEqual(6 * 1024)
})

test('the guide shows every place of the navigation (npm run screenshots)', () => {
  const guide = files(['docs/guide'], /\.md$/).map(read).join('')
  const missing = readdirSync(path.join(root, 'renderer/places'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /\bnav: \{/.test(read(`renderer/places/${entry.name}/place.ts`)))
    .map(({ name }) => `docs/screenshots/${name}.png`)
    .filter((file) => !guide.includes(`](../${file.slice('docs/'.length)})`) || !existsSync(path.join(root, file)))
  expect(missing).toEqual([])
})

test('the contract reference matches the endpoint table (npm run docs)', () => {
  expect(read('docs/contract.md')).toBe(createContractDoc())
})

test('the documented rules match the rule table (npm run docs)', () => {
  expect(read('docs/rules.md')).toBe(createRulesDoc())
})

test('docs/safety.md lists every pattern that is built at run time, or that is exempt from the linter', () => {
  const pattern = /new RegExp\(|eslint-disable[\w-]* regexp\//
  const product = code.filter(({ file }) => !file.startsWith('test/'))
  const listed = [...read('docs/safety.md').matchAll(/^\| `([\w/-]+\.ts)` /gm)].map(([, file]) => file)
  expect(listed).toEqual(
    product
      .filter(({ text }) => pattern.test(text))
      .map(({ file }) => file)
      .sort(),
  )
})

describe('safety rules', () => {
  const sections = read('docs/safety.md').split(/^## /m)
  const rules = new Map(
    sections.flatMap((section) =>
      [...section.matchAll(/^\| (\d+) /gm)].map(([, number]) => [Number(number), !section.includes('not built yet')]),
    ),
  )
  const used = numbersBehind(/safety (\d+(?:(?:, |[-–])\d+)*)/g)

  test('include each number that the code names', () => {
    expect([...used].filter(([number]) => !rules.has(number))).toEqual([])
  })

  test('have a test that names them if they are in force', () => {
    const tested = (number: number): boolean => used.get(number)?.some((file) => /^test\/.*\.ts$/.test(file)) === true
    expect([...rules].filter(([number, built]) => built && !tested(number))).toEqual([])
  })
})

test.each([
  ['spec', 'docs/host/spec-0.91.md', /spec(?:-0\.91)? §(\d+)/g],
  ['observed', 'docs/host/observed-0.49-routes.md', /observed(?:-0\.49)? §(\d+)/g],
])('each section of %s that the code names exists', (_name, file, words) => {
  const sections = new Set([...read(file).matchAll(/^## (\d+)/gm)].map(([, number]) => Number(number)))
  expect([...numbersBehind(words)].filter(([number]) => !sections.has(number))).toEqual([])
})

test('each file that a comment names exists', () => {
  const fileName = /(?<![\w*.-])(?:\.{0,2}\/)?(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|vue|mjs)\b/g
  const paths = files(['shared', 'electron', 'renderer', 'cli', 'testing', 'test', 'scripts'], /\.(ts|vue|mjs)$/)
  const exists = (file: string): boolean => paths.some((candidate) => `/${candidate}`.endsWith(`/${file}`))
  const comments = code.flatMap(({ file, text }) =>
    [...text.matchAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/ .*$/gm)].map(([comment]) => ({ file, comment })),
  )
  const missing = comments.flatMap(({ file, comment }) =>
    [...comment.matchAll(fileName)]
      .map(([name]) => name.replace(/^(?:\.{0,2}\/)+/, ''))
      .filter((name) => !exists(name))
      .map((name) => `${file}: ${name}`),
  )
  expect(missing).toEqual([])
})

test('each link between documents leads to an existing file and heading', () => {
  const documents = [...files(['docs', 'test', 'electron'], /\.md$/), 'README.md', 'CONTRIBUTING.md']
  const anchors = (file: string): string[] =>
    [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )
  const broken = documents.flatMap((from) =>
    [...read(from).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => {
        const [file = '', anchor] = target.split('#')
        const to = file === '' ? from : path.posix.join(path.posix.dirname(from), file)
        if (!existsSync(path.join(root, to))) return true
        return anchor !== undefined && !anchors(to).includes(anchor)
      })
      .map((target) => `${from}: ${target}`),
  )
  expect(broken).toEqual([])
})
