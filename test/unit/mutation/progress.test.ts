import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { digestOf, forgetProgress, longestFirst, savedProgress, saveProgress } from '../../mutation/progress.ts'
import { unsaid, type StationResult } from '../../mutation/run.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-progress-'))
  file = path.join(folder, 'results', 'state.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const change = { endpoint: 'notes.get', answer: 'GET /notes/A', pointer: '/title', mutation: 'null' }
const done: StationResult = {
  station: 'deck',
  answers: 2,
  members: 5,
  cases: 30,
  missed: 1,
  once: 0,
  falls: [{ case: change, falls: [{ kind: 'lost', what: 'Second' }] }],
  said: new Map([
    ['notes.get /title null', true],
    ['notes.get /color text', false],
  ]),
}

test('a stopped run resumes with all its results', () => {
  saveProgress(file, 'build-a', { results: [done], seconds: 12 })
  const second = savedProgress(file, 'build-a')
  expect(second).toMatchObject({ seconds: 12, results: [done] })
  expect(typeof second === 'string' ? second : unsaid(second.results)).toEqual(['notes.get /color text'])
})

test('a saved run of another build and an invalid file are ignored', () => {
  expect(savedProgress(file, 'build-a')).toBe('no run was stopped')
  saveProgress(file, 'build-a', { results: [done], seconds: 12 })
  expect(savedProgress(file, 'build-b')).toBe('the stopped run was one of another build')
  writeFileSync(file, '{"build":"build-a","results":[{}]}')
  expect(savedProgress(file, 'build-a')).toContain('is not the state of a run')
  forgetProgress(file)
  expect(savedProgress(file, 'build-a')).toBe('no run was stopped')
})

test('a build is identified by the content of its files', () => {
  writeFileSync(path.join(folder, 'a.js'), '1')
  const first = digestOf([folder])
  writeFileSync(path.join(folder, 'README.md'), 'a report')
  expect(digestOf([folder])).toBe(first)
  writeFileSync(path.join(folder, 'a.js'), '2')
  expect(digestOf([folder])).not.toBe(first)
})

test('new views come first, then those with the most cases in the last report', () => {
  const report =
    '| View | Answers | Members | Cases | Falls |\n| --- | ---: | ---: | ---: | ---: |\n| deck | 2 | 5 | 30 | 0 |\n| tree  |  2 |  5 |  400 | 0 |'
  const createNamed = (...names: string[]): readonly { name: string }[] => names.map((name) => ({ name }))
  expect(longestFirst(createNamed('deck', 'new', 'tree'), report)).toEqual(createNamed('new', 'tree', 'deck'))
  expect(longestFirst(createNamed('deck', 'tree'), '')).toEqual(createNamed('deck', 'tree'))
})
