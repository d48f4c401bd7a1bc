import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { RecordingReport } from '../../../electron/core/recordings/report/recording-report.ts'
import type { Finding } from '../../../shared/protocol/finding.ts'
import type { RecordedPanelNote, RecordedOperation } from '../../../shared/recordings/recording.ts'
import { createManifestFacts } from '../../support/data/recordings.ts'
import { createOperation } from '../../support/vue/operations.ts'
import { createExchange } from './recorded-lines.ts'

const parts = { exchanges: { entries: 1, lines: 2 } }
const origin = { kind: 'panel', label: 'Practice', caller: 'panel-1', load: 1 } as const
const finding: Finding = {
  ...{ id: 'session-not-confirmed:1', rule: 'session-not-confirmed', at: 10, origin, resource: 'GET /notes' },
  ...{ exchanges: [1, 2], params: { limit: '10' } },
}
const note: RecordedPanelNote = {
  ...{ seq: 1, at: 5, kind: 'error', level: 'error', what: null, text: 'It fails', textLength: 8 },
  ...{ file: 'main.js', line: 3, column: 5, original: null, calls: [], rejectedCall: null, caller: 'panel-1' },
}
const operation: RecordedOperation = {
  ...createOperation({ state: 'refused', errorCode: 'NOT_ALLOWED' }, { method: 'POST', path: '/notes/1' }),
  instanceNonce: null,
}
const refused: RecordedOperation = {
  ...operation,
  summary: { ...operation.summary, verdict: { ...operation.summary.verdict, code: 'refused' } },
}

/** @param text stands wherever foreign text can stand */
function createReport(text = 'A text'): string {
  const report = new RecordingReport()
  report.addLine('exchanges', createExchange(1, { row: { path: `/notes?q=${text}`, errorCode: text } }))
  report.addLine('exchanges', createExchange(2, { row: { status: null, state: 'failed' } }))
  report.addLine('operations', { ...refused, path: text, summary: { ...refused.summary, outcome: text } })
  report.addLine('findings', { ...finding, params: { [text]: text }, origin: { ...origin, label: text } })
  report.addLine('console', { ...note, text, file: text })
  report.addLine('steps', { at: 7, text, exchange: 1, screenshot: text })
  const facts = createManifestFacts({
    ...{ title: text, host: { baseUrl: text, name: text, version: text } },
    leftOut: [{ what: text === '' ? 'x' : text, count: 2, why: 'redacted' }],
  })
  return report.format(facts, { ...parts, [text]: { entries: 1, lines: null } }, 'abcd ef01')
}

const renderer = new MarkdownIt({ html: true, linkify: true })
const listElements = (markdown: string): string[] =>
  [...renderer.render(markdown).matchAll(/<(?!\/)([^\s>]+)/g)].map(([, name]) => name ?? '').sort()

describe('the report of a recording', () => {
  it('begins with what was done and the findings, each with its exchanges', () => {
    const text = createReport()
    const titles = [...text.matchAll(/^#+ .*$/gm)].map(([line]) => line)
    expect(titles).toEqual([
      '# Recording `A text`',
      '## What was done',
      '## Findings',
      '## Writes that failed or are not proven',
      '## Errors of pages',
      '## What this recording holds',
      '## What was left out',
      '## Redaction',
      '## How to check it',
    ])
    expect(text).toContain('> A text\n\n1970-01-01 00:00:00.007Z, exchange 1: `GET /notes?q=A text` → 200')
    expect(text).toMatch(
      /- \*\*session-not-confirmed\*\* .*\n {2}- .*\n {2}- Instead: .*\n(?: {2}- .*\n)* {2}- exchange 2: /,
    )
    expect(text).toContain('no response (failed)')
    expect(text).toContain('The host refused it.')
    expect(text).toContain('abcd ef01')
  })

  it('names the line of code with which a finding was caused', () => {
    const report = new RecordingReport()
    const frame = { functionName: 'load', file: '/main.js', line: 1, column: 9, isAsync: false, isLibrary: false }
    const original = { file: '/src/cards.ts', line: 40, column: 7 }
    const initiator = { frames: [{ ...frame, original, isWrapper: false }], loader: null }
    report.addLine('exchanges', createExchange(2, { initiator }))
    report.addLine('findings', finding)
    expect(report.format(createManifestFacts(), parts, null)).toContain('  - Line: `/src/cards.ts:40:7` in `load`\n')
  })

  it('says that a finding names an exchange that is not in the file', () => {
    const report = new RecordingReport()
    report.addLine('findings', { ...finding, exchanges: [7] })
    expect(report.format(createManifestFacts(), parts, null)).toContain('exchange 7, which is not in this recording')
  })

  it('counts findings of one rule about one resource together, and lists a limited number', () => {
    const report = new RecordingReport()
    for (let index = 1; index <= 300; index += 1) {
      report.addLine('findings', { ...finding, id: `session-not-confirmed:${index}`, resource: `GET /notes/${index}` })
      report.addLine('findings', {
        ...finding,
        id: `session-not-confirmed:again-${index}`,
        resource: `GET /notes/${index}`,
      })
    }
    const text = report.format(createManifestFacts(), parts, null)
    expect(text.match(/\*\*session-not-confirmed\*\* \(\w+, 2 times/g)).toHaveLength(200)
    expect(text).toContain('And 200 more, which this report does not list.')
  })

  it('says nothing about writes that succeeded', () => {
    const report = new RecordingReport()
    const { summary } = operation
    report.addLine('operations', {
      ...operation,
      summary: { ...summary, verdict: { ...summary.verdict, code: 'saved-and-verified' } },
    })
    expect(report.format(createManifestFacts(), parts, null)).not.toContain('Writes that')
  })

  it('has no time for what is none', () => {
    const report = new RecordingReport()
    report.addLine('steps', { at: 1e300, text: 'a', exchange: null, screenshot: null })
    expect(report.format(createManifestFacts({ createdAt: 9e15 }), parts, null)).toContain('an unknown time')
  })

  const hostile = [
    ...['# Heading', '<img src=x onerror=a>', '![a](http://a.b)', '[a](b)', 'http://a.b', 'a@b.cd', '@everyone #12'],
    ...['`` ` ``', '```\n# a\n```', '- a\n- b', '1. a', '---', 'a\n===', 'a | b\n--- | ---', '\n\n# a', '    code'],
    ...['<!--', '&lt;', '\\', '\u202e', 'www.a.bc', '[a]: http://b', '> a', '~~~', '**a**', '+ a', '2) a'],
  ]
  const word = fc.constantFrom(...hostile, ...' \n\t`#<>[]()!*_~|\\&@:/-=+.1a')

  it('has no element of a foreign text but code and quotes', () => {
    const expected = listElements(createReport())
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const text = `a${words.join('')}`
        const names = new Set(listElements(createReport(text)))
        const count = (name: string): number =>
          listElements(createReport(text)).filter((other) => other === name).length
        expect([...names].filter((name) => !expected.includes(name) && name !== 'br')).toEqual([])
        for (const name of ['h1', 'h2', 'ul', 'li', 'blockquote', 'strong', 'pre'])
          expect([name, count(name)]).toEqual([name, expected.filter((other) => other === name).length])
      }),
    )
  })
})
