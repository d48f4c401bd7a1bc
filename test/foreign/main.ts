// npm run test:foreign: what other people's programs and files are known to fall over, in full, and the figures of it in the README here.
// `npm test` runs all of it as well, with samples of what takes longer.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { format } from 'prettier'
import { z } from 'zod'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { ensureChromium } from '../../scripts/lib/chromium.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { runPlaywright, runVitest, summary } from '../../scripts/lib/suites.mjs'

const folder = path.join(root, 'test-results', 'foreign')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const began = performance.now()
process.env['CHROMIUM_PATH'] = await ensureChromium()
ensureBuilt('web')
const sums = [
  runVitest('unit', ['test/foreign'], { TEST_LONG: '1' }),
  ...runPlaywright(['browser'], ['test/foreign'], { TEST_LONG: '1' }),
]
const seconds = Math.round((performance.now() - began) / 1000)
const { failed, text } = summary(sums)
process.stdout.write(text)
if (failed === 0) await report()
process.exitCode = failed > 0 ? 1 : 0

/** Suites by how the names of their files begin, and what each is. */
function suites(): readonly (readonly [name: string, title: string, what: string])[] {
  return [
    [
      'json',
      'JSON that is taken, refused, or left open',
      'The texts of the public parsing suites, by their names: through what reads, formats and cuts JSON here, and from a host.',
    ],
    [
      'naughty',
      'Texts that programs fall over, as titles',
      'Reserved words, numbers, controls, blanks, halves of pairs, scripts of all directions, commands and formulas.',
    ],
    [
      'injection',
      'Scripts in the guide and in titles',
      'Handlers, elements that load, broken markup and addresses, in Chromium: nothing runs, nothing is asked for, the policy has nothing to stop.',
    ],
    ['pdf', 'PDFs as people have them', 'Each made object by object by `test/support/pdf-files.ts`.'],
    [
      'ranges',
      'Ranges of RFC 9110',
      'Section by section, with every header of the answer, by the browser host and by the scheme of the desktop app.',
    ],
    [
      'description',
      'The public description of a host',
      'The 72 routes of `docs/host/observed-0.49-routes.md`: what they take and answer, against the forms and the demo host.',
    ],
  ]
}

async function report(): Promise<void> {
  const files = readdirSync(folder).toSorted()
  const figures = ([name]: readonly [string, ...string[]]): readonly (readonly [string, string | number])[] =>
    files
      .filter((file) => file === `${name}.json` || file.startsWith(`${name}-`))
      .flatMap((file) => {
        const read: unknown = JSON.parse(readFileSync(path.join(folder, file), 'utf8'))
        return Object.entries(z.record(z.string(), z.union([z.string(), z.number()])).parse(read))
      })
  const sections = suites().map(([name, title, what]) => {
    const rows = figures([name])
    if (rows.length === 0) throw new Error(`${title}: no figures, though no test failed`)
    return `## ${title}\n\n${what}\n\n| | |\n| --- | ---: |\n${rows.map(([label, value]) => `| ${label} | ${value} |`).join('\n')}`
  })
  const text = `# Foreign suites

\`npm run test:foreign\` runs what other people's programs and files are known to fall over. Nothing of it is copied: cases stand here under
the names that the public suites gave them, or are made by a generator. \`npm test\` runs the same, with samples of what takes longer.
Written by the last whole run (${sums.reduce((sum, { passed }) => sum + passed, 0)} tests, ${seconds} s).

${sections.join('\n\n')}
`
  writeFileSync(
    path.join(root, 'test', 'foreign', 'README.md'),
    await format(text, { parser: 'markdown', printWidth: 130, proseWrap: 'preserve' }),
  )
}
