import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findingReporters, type FindingReportOptions } from '../../../cli/output/finding-reports.ts'
import { locateSource } from '../../../cli/output/source-file.ts'
import type { LocatedFinding } from '../../../shared/protocol/finding.ts'
import { listCodeScanningErrors, listSarifErrors } from '../../support/data/sarif.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const origin = { kind: 'panel', label: 'Practice' } as const
const createFinding = (changed: Partial<LocatedFinding> = {}): LocatedFinding => ({
  id: 'cursor-invented GET /study-sets/{topicid}/tree',
  rule: 'cursor-invented',
  at: 10,
  origin,
  resource: 'GET /study-sets/T-1/tree',
  exchanges: [1, 2],
  params: {},
  count: 2,
  shownAt: [2],
  firstAt: 5,
  origins: [origin],
  initiator: { file: '/src/cards.ts', line: 40, column: 7, functionName: 'load' },
  ...changed,
})
const unknownLine = createFinding({ id: 'other', rule: 'outside-allow-list', resource: 'GET /token', initiator: null })

function createProject(...files: string[]): string {
  const folder = createTempDir()
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), '')
  }
  return folder
}
const createOptions = (workingDir: string): FindingReportOptions => ({
  version: '0.1.0',
  artifact: 'package.json',
  roots: { sourceRoot: null, panelFolder: null, workingDir },
})

describe('the file of a source', () => {
  test.each([
    ['in the working directory', '/src/a.ts', ['src/a.ts'], null, null, 'src/a.ts'],
    ['of a page that is not bundled', '/main.js', ['panel/main.js'], null, 'panel', 'panel/main.js'],
    ['beside the folder of the bundle', '/src/a.ts', ['plugin/src/a.ts'], null, 'plugin/dist/web', 'plugin/src/a.ts'],
    ['below --source-root', '/src/a.ts', ['other/src/a.ts', 'src/a.ts'], 'other', null, 'other/src/a.ts'],
    ['that is not there', '/src/gone.ts', [], null, null, 'src/gone.ts'],
    ['that leads out', '/../../../etc/passwd', [], null, null, 'etc/passwd'],
    ['of another folder of the machine', 'file:///etc/passwd', [], null, null, 'etc/passwd'],
  ])('is found %s', (_, source, files, sourceRoot, panel, expected) => {
    const workingDir = createProject(...files)
    const panelFolder = panel === null ? null : path.join(workingDir, panel)
    expect(locateSource(source, { sourceRoot, panelFolder, workingDir })).toBe(expected)
  })

  test('is found by its path on this machine', () => {
    const workingDir = createProject('src/a.ts')
    const roots = { sourceRoot: null, panelFolder: null, workingDir }
    expect(locateSource(`file://${workingDir}/src/a.ts`, roots)).toBe('src/a.ts')
  })
})

describe('a report of findings', () => {
  const findings = [createFinding(), unknownLine]

  test('is a SARIF log that code scanning accepts', () => {
    const hostile = createFinding({
      id: 'third',
      resource: 'GET /x\r\n::error::',
      initiator: { file: 'file:///C:/Users/a b/x y.ts', line: 1, column: null, functionName: '' },
    })
    const log: unknown = JSON.parse(findingReporters.sarif([...findings, hostile], createOptions(createProject())))
    expect(listSarifErrors(log)).toBe(null)
    expect(listCodeScanningErrors(log)).toEqual([])
    expect(log).toMatchObject({
      runs: [
        {
          results: [
            {
              ruleId: 'cursor-invented',
              level: 'error',
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: 'src/cards.ts' },
                    region: { startLine: 40, startColumn: 7 },
                  },
                  logicalLocations: [{ fullyQualifiedName: 'load', kind: 'function' }],
                },
              ],
            },
            { locations: [{ physicalLocation: { artifactLocation: { uri: 'package.json' } } }] },
            {},
          ],
        },
      ],
    })
  })

  test('code scanning would refuse it without a location, with an absolute one, or without a region', () => {
    const text = findingReporters.sarif(findings, createOptions(createProject()))
    for (const [before, after] of [
      ['"physicalLocation"', '"otherLocation"'],
      ['src/cards.ts', '/src/cards.ts'],
      ['"startLine": 40', '"startLine": 0'],
    ] as const)
      expect(listCodeScanningErrors(JSON.parse(text.replace(before, after)))).not.toEqual([])
  })

  test('marks lines in a workflow, and lets no foreign text add a command', () => {
    const options = createOptions(createProject())
    const hostile = createFinding({ resource: 'GET /x\n::error file=a,line=1::b' })
    const lines = findingReporters
      .github([...findings, hostile], options)
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^::error file=src\/cards\.ts,line=40,col=7,title=cursor-invented::GET \/study-sets/)
  })

  test('is a JUnit suite with a failure for each, and one that passed without any', () => {
    const options = createOptions(createProject())
    const text = findingReporters.junit(findings, options)
    expect(text).toContain('tests="2" failures="2"')
    expect(text).toContain('file="src/cards.ts" line="40"><failure type="error"')
    expect(findingReporters.junit([], options)).toContain('tests="1" failures="0"')
  })

  test('names the line and what to do in Markdown', () => {
    const text = findingReporters.markdown(findings, createOptions(createProject()))
    expect(text).toContain('- Line: `/src/cards.ts:40:7 in load`')
    expect(text).toContain('- Instead: ')
  })
})
