import type { PanelCall, PanelNote, PanelState } from '../../../shared/panel/panel.ts'

/** A sample panel that runs; whatever a test is about is changed. */
export const createPanelState = (changed: Partial<PanelState> = {}): PanelState => ({
  source: { kind: 'sample', name: 'practice' },
  name: 'Practice',
  caller: 'opening-1',
  pageLoad: 1,
  phase: 'running',
  error: null,
  url: 'about:blank',
  load: 1,
  loadedBecause: 'opened',
  loadedAt: 1_000,
  plugin: { id: 'cards.practice', from: 'template', offered: ['cards.practice', 'cards.other'] },
  allow: {
    mode: 'host',
    host: [
      { method: 'GET', path: '/notes/{id}/render' },
      { method: 'POST', path: '/notes/batch-get' },
    ],
    from: 'capabilities-panel',
    mine: [],
  },
  writes: 'ask',
  asks: [],
  overrides: { on: 0, all: 0 },
  ownProcess: false,
  devTools: false,
  ...changed,
})

export const createPanelNote = (changed: Partial<PanelNote> = {}): PanelNote => ({
  seq: 1,
  at: 1_000,
  kind: 'console',
  level: 'info',
  what: null,
  text: 'hello',
  textLength: (changed.text ?? 'hello').length,
  original: null,
  calls: [],
  rejectedCall: null,
  file: '',
  line: null,
  column: null,
  ...changed,
})

export const createPanelCall = (changed: Partial<PanelCall> = {}): PanelCall => ({
  exchangeId: 'id-1',
  at: 1_000,
  via: 'host.api',
  pageId: null,
  frames: null,
  loader: null,
  decision: 'passed',
  reason: { code: 'listed', params: {} },
  page: { method: 'GET', path: '/notes/N1', headers: [], body: null, bodyBytes: 0 },
  changes: [],
  answer: { status: 200, headers: [], body: '{"noteid":"N1"}', bytes: 15, broken: false },
  operationId: null,
  onlyOutside: false,
  ...changed,
})
