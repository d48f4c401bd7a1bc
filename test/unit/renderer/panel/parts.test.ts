import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAllowList, formatAllowList } from '../../../../renderer/places/panel/allow-list-text.ts'
import { shouldShowNote, formatNoteSource } from '../../../../renderer/places/panel/note-filter.ts'
import { parseServerSource, parsePanelSource } from '../../../../renderer/places/panel/panel-source.ts'
import { usePanelView } from '../../../../renderer/places/panel/panel-view.ts'
import { endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { createPanelNote } from '../../../support/vue/panel-state.ts'

describe('a custom allow list', () => {
  test('accepts every row of the contract, and is formatted as it was written', () => {
    const routes = endpoints.map(({ method, path }) => ({ method, path }))
    expect(parseAllowList(formatAllowList(routes))).toEqual({ routes, problems: [] })
  })

  test.each([
    ['GET', 'shape'],
    ['GET /a /b', 'shape'],
    ['FETCH /notes', 'method'],
    ['GET notes', 'path'],
    ['GET //notes', 'path'],
    ['GET /notes/../pair', 'path'],
    ['GET /notes?x=1', 'path'],
    ['GET /notes/{id\nGET /a', 'path'],
  ] as const)('refuses %j', (line, problem) => {
    expect(parseAllowList(line).problems[0]).toMatchObject({ lineNumber: 1, problem })
  })

  test('ignores comments, and reports duplicates', () => {
    const { routes, problems } = parseAllowList('# mine\n\nget /notes/{id}\nGET /notes/{noteid}\n')
    expect(routes).toEqual([{ method: 'GET', path: '/notes/{id}' }])
    expect(problems).toEqual([{ lineNumber: 4, text: 'GET /notes/{noteid}', problem: 'double' }])
  })

  test('reads any text without throwing, and returns only path templates', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const { path } of parseAllowList(text).routes) expect(path).toMatch(/^\/[^/]/)
      }),
    )
  })
})

test.each([
  ['/home/me/panel', { kind: 'folder', path: '/home/me/panel' }],
  ['/home/me/panel/index.html', { kind: 'folder', path: '/home/me/panel' }],
  ['file:///home/a%20b/index.html\n', { kind: 'folder', path: '/home/a b' }],
  ['file:///C:/panels/x', { kind: 'folder', path: 'C:/panels/x' }],
  ['# a list\nhttp://localhost:5173/x', { kind: 'server', url: 'http://localhost:5173/x' }],
  ['file://server/share', null],
  ['javascript:alert(1)', null],
  ['hello', null],
  ['', null],
])('dropped text is parsed as a panel source: %j', (text, source) => {
  expect(parsePanelSource(text)).toEqual(source)
})

test.each([
  ['5173', 'http://127.0.0.1:5173/'],
  ['localhost:5173', 'http://localhost:5173/'],
  ['https://127.0.0.1/x', 'https://127.0.0.1/x'],
  [' ', null],
  ['http://', null],
])('a typed address is parsed as a server: %j', (text, url) => {
  expect(parseServerSource(text)).toEqual(url === null ? null : { kind: 'server', url })
})

test('a level filter keeps more serious notes, and always the separator of a load', () => {
  const error = createPanelNote({ kind: 'error', level: 'error' })
  const refused = createPanelNote({ kind: 'refused', level: 'warning', what: 'frame' })
  const load = createPanelNote({ kind: 'load', text: '' })
  const passing = (level: Parameters<typeof shouldShowNote>[1]): boolean[] =>
    [createPanelNote(), error, refused, load].map((note) => shouldShowNote(note, level, ''))
  expect(passing('all')).toEqual([true, true, true, true])
  expect(passing('warning')).toEqual([false, true, true, true])
  expect(passing('refused')).toEqual([false, false, true, true])
  expect(shouldShowNote(createPanelNote({ text: 'Hello' }), 'all', 'hell')).toBe(true)
  expect(shouldShowNote(load, 'all', 'hell')).toBe(false)
})

test('the source of a note is its path, line and column', () => {
  expect(formatNoteSource({ file: 'http://127.0.0.1:9/js/app.js?v=1', line: 3, column: 4 })).toBe('js/app.js:3:4')
  expect(formatNoteSource({ file: 'http://127.0.0.1:9/', line: 3, column: null })).toBe('/:3')
  expect(formatNoteSource({ file: '', line: 3, column: 4 })).toBe('')
})

describe('the panel view', () => {
  test('is scaled down where it does not fit, and keeps its own pixels', () => {
    const view = usePanelView()
    Object.assign(view.stageSize, { width: 512, height: 800 })
    view.size.value = 'wide'
    expect([view.width.value, view.scale.value, view.height.value]).toEqual([1024, 0.5, 1600])
    view.zoom.value = 100
    expect([view.width.value, view.scale.value, view.height.value]).toEqual([1024, 1, 800])
  })

  test('gets a free size by dragging, starting from its current size', () => {
    const view = usePanelView()
    view.size.value = 'phone'
    view.resize('width', 401.4)
    expect([view.size.value, view.width.value, view.height.value]).toEqual(['free', 401, 667])
    view.resize('height', 1)
    expect(view.height.value).toBe(120)
  })
})
