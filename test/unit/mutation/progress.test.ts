import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { computeDigest, forgetProgress, sortLongestFirst, readProgress, saveProgress } from '../../mutation/progress.ts'
import { listUnreported, type StationResult } from '../../mutation/run.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-progress-'))
  file = path.join(folder, 'results', 'state.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const change = { endpoint: 'notes.get', responseKey: 'GET /notes/A', pointer: '/title', mutation: 'null' }
const done: StationResult = {
  station: 'deck',
  responses: 2,
  members: 5,
  cases: 30,
  unreachedCount: 1,
  passedOnRetryCount: 0,
  contractCounts: { reported: 3, open: 2, lawful: 1, missed: 0 },
  failures: [{ case: change, failures: [{ kind: 'lost', what: 'Second' }] }],
  reportedByChange: new Map([
    ['notes.get /title null', true],
    ['notes.get /color text', false],
  ]),
}

test('a stopped run resumes with all its results', () => {
  saveProgress(file, 'build-a', { results: [done], seconds: 12 })
  const second = readProgress(file, 'build-a')
  expect(second).toMatchObject({ seconds: 12, results: [done] })
  expect(typeof second === 'string' ? second : listUnreported(second.results)).toEqual(['notes.get /color text'])
})

test('a saved run of another build and an invalid file are ignored', () => {
  expect(readProgress(file, 'build-a')).toBe('no run was stopped')
  saveProgress(file, 'build-a', { results: [done], seconds: 12 })
  expect(readProgress(file, 'build-b')).toBe('the stopped run was one of another build')
  writeFileSync(file, '{"build":"build-a","results":[{}]}')
  expect(readProgress(file, 'build-a')).toContain('is not the state of a run')
  forgetProgress(file)
  expect(readProgress(file, 'build-a')).toBe('no run was stopped')
})

test('a build is identified by the content of its files', () => {
  writeFileSync(path.join(folder, 'a.js'), '1')
  const first = computeDigest([folder])
  writeFileSync(path.join(folder, 'README.md'), 'a report')
  expect(computeDigest([folder])).toBe(first)
  writeFileSync(path.join(folder, 'a.js'), '2')
  expect(computeDigest([folder])).not.toBe(first)
})

test('new views come first, then those with the most cases in the last report', () => {
  const report =
    '| View | Answers | Members | Cases | Falls |\n| --- | ---: | ---: | ---: | ---: |\n| deck | 2 | 5 | 30 | 0 |\n| tree  |  2 |  5 |  400 | 0 |'
  const createNamed = (...names: string[]): readonly { name: string }[] => names.map((name) => ({ name }))
  expect(sortLongestFirst(createNamed('deck', 'new', 'tree'), report)).toEqual(createNamed('new', 'tree', 'deck'))
  expect(sortLongestFirst(createNamed('deck', 'tree'), '')).toEqual(createNamed('deck', 'tree'))
})
