// Draws exported names or comments at random, to check whether a stranger understands them.
//
//   node scripts/sample-code.mjs names    [--seed N] [--count N]   exported names with signatures
//   node scripts/sample-code.mjs comments [--seed N] [--count N]   comments, each with what follows
//
// The same seed draws the same entries from the same code.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import ts from 'typescript'

const ROOMS = ['shared', 'electron', 'renderer', 'cli']
const LINES_BELOW = 5
const MAX_SIGNATURE_CHARS = 220

/** Creates a small generator (mulberry32) whose sequence depends on the seed alone. */
function createRandom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function draw(entries, count, random) {
  const rest = [...entries]
  const samples = []
  while (samples.length < count && rest.length) samples.push(...rest.splice(Math.floor(random() * rest.length), 1))
  return samples
}

function listSources() {
  return execFileSync('git', ['ls-files', ...ROOMS], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(ts|vue)$/.test(file) && !file.endsWith('.d.ts'))
}

/**
 * Returns the TypeScript of a file, and the number of lines above it, because a component's script
 * does not begin at its first line.
 */
function readScript(file) {
  const text = readFileSync(file, 'utf8')
  if (!file.endsWith('.vue')) return { code: text, linesAbove: 0 }
  const opening = /<script[^>]*lang="ts"[^>]*>\n/.exec(text)
  if (!opening) return { code: '', linesAbove: 0 }
  const start = opening.index + opening[0].length
  return {
    code: text.slice(start, text.indexOf('</script>', start)),
    linesAbove: text.slice(0, start).split('\n').length - 1,
  }
}

function toSignature(statement, source) {
  const oneLine = statement.getText(source).replace(/\s+/g, ' ')
  const head =
    ts.isFunctionDeclaration(statement) && statement.body
      ? oneLine.slice(0, statement.body.getStart(source) - statement.getStart(source))
      : oneLine
  return head.length > MAX_SIGNATURE_CHARS ? `${head.slice(0, MAX_SIGNATURE_CHARS)}…` : head
}

function namesOf(statement) {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText())
  return statement.name ? [statement.name.text] : []
}

function listExports(file) {
  const { code } = readScript(file)
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true)
  return source.statements
    .filter((statement) => statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .flatMap((statement) =>
      namesOf(statement).map((name) => `${name}\n    ${file}\n    ${toSignature(statement, source)}`),
    )
}

function listComments(file) {
  const { code, linesAbove } = readScript(file)
  const lines = code.split('\n')
  const entries = []
  for (let index = 0; index < lines.length; index += 1) {
    if (!/^\s*(\/\*\*|\/\/)/.test(lines[index])) continue
    const first = index
    if (/^\s*\/\*\*/.test(lines[index])) while (index < lines.length && !lines[index].includes('*/')) index += 1
    else while (/^\s*\/\//.test(lines[index + 1] ?? '')) index += 1
    entries.push([`${file}:${first + 1 + linesAbove}`, ...lines.slice(first, index + 1 + LINES_BELOW)].join('\n'))
  }
  return entries
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '100' } },
})
const listers = { names: listExports, comments: listComments }
const list = listers[positionals[0]]
if (!list) {
  console.error('Say what to draw: names or comments')
  process.exit(2)
}
const entries = listSources().flatMap(list)
const samples = draw(entries, Number(values.count), createRandom(Number(values.seed)))
console.log(samples.map((entry, index) => `${index + 1}. ${entry}`).join('\n\n'))
console.log(`\n${samples.length} of ${entries.length}`)
