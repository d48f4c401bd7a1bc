import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { markRaw } from 'vue'
import { getGhostIndex } from '../../../renderer/model/map/map-ghosts.ts'
import { mapTones, type MapLook } from '../../../renderer/model/map/map-scene.ts'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows, createTreeFilter } from '../../../renderer/model/tree/tree-rows.ts'
import CardMap from '../../../renderer/panes/map/CardMap.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useMapChoice } from '../../../renderer/stores/map.ts'
import { useSettings } from '../../../renderer/stores/settings.ts'
import { useTreeChanges } from '../../../renderer/stores/tree-changes.ts'
import { useTree } from '../../../renderer/stores/tree.ts'
import { writeMapFile } from '../../../renderer/workers/map-export.ts'
import { MapFailure, type MapFrameRequest, type MapFrameShapes } from '../../../renderer/workers/map-protocol.ts'
import type { MapMethods } from '../../../renderer/workers/map.worker.ts'
import { MapSession } from '../../../renderer/workers/map-session.ts'
import { readHostLimits } from '../../../shared/bridge/host-limits.ts'
import type { ReadInput } from '../../../shared/ipc/bridge.ts'
import type { IpcInput } from '../../../shared/ipc/index.ts'
import { serveMethods, type WorkerReply, type WorkerRequest } from '../../../shared/workers/worker-methods.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { createConnectionState } from '../../support/vue/states.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  mountComponent,
  pressKey,
} from '../../support/vue/mounting.ts'

const look: MapLook = {
  colors: Object.fromEntries(mapTones.map((tone) => [tone, 'gray'])) as MapLook['colors'],
  fontFamily: 'sans-serif',
}

/** The frame of the page reaches so far beyond the window. */
const FRAME_MARGIN_PX = 160

/** Does all that the worker does but draw, for which the test environment has no canvas. */
class FakeMapWorker {
  static readonly sessions: MapSession[] = []
  static isClosed = false
  static lastZoom = 0
  /** The methods that were called, in order. */
  static readonly tasks: string[] = []
  static lastShapes: MapFrameShapes | null = null
  /** Why frames and files fail; null while they do not. */
  static failureCode: string | null = null
  static #last: FakeMapWorker | null = null
  onmessage: ((event: { data: WorkerReply }) => void) | null = null
  readonly #session = new MapSession((_font, text) => text.length * 7, look)
  readonly #receive = serveMethods(this.#createMethods(), (data) => this.onmessage?.({ data }))

  constructor() {
    FakeMapWorker.sessions.push(this.#session)
    FakeMapWorker.#last = this
  }

  postMessage(request: WorkerRequest): void {
    FakeMapWorker.tasks.push('method' in request ? request.method : 'cancel')
    this.#receive(request)
  }

  /** The graphics work again. */
  static restore(): void {
    FakeMapWorker.failureCode = null
    FakeMapWorker.#last?.onmessage?.({ data: { topic: 'restored', payload: null } })
  }

  terminate(): void {
    FakeMapWorker.isClosed = true
  }

  #createMethods(): { [Name in keyof MapMethods]: (...input: Parameters<MapMethods[Name]>) => unknown } {
    const session = this.#session
    return {
      reset: () => undefined,
      setLook: () => undefined,
      addTitles: (chunks) => session.addTitles(chunks),
      retitle: (titles) => session.retitle(titles),
      setCards: ({ parents, childCounts, problems }) => session.setCards(parents, childCounts, problems),
      setMarks: (marks) => session.setMarks(marks),
      setSubMaps: (nodes) => session.setSubMaps(nodes),
      setLevels: ({ levels, colors }) => session.setLevels(levels, colors),
      setPath: (path) => session.path.set(path),
      showCalls: (count) => session.path.showCalls(count),
      setGhosts: (ghosts) => session.setGhosts(ghosts),
      place: ({ nodes, depths, matches, projection }) =>
        session.place({ length: nodes.length, nodes, depths }, matches, projection),
      locate: (node) => session.locate(node),
      findNearest: (point) => session.findNearest(point),
      addExportMarks: (marks) => session.addExportMarks(marks),
      drawFrame(frame) {
        if (FakeMapWorker.failureCode !== null) throw new MapFailure(FakeMapWorker.failureCode, 'failed')
        const { shapes, titled } = session.draw(frame)
        FakeMapWorker.lastZoom = frame.view.zoomY
        const nodes = Int32Array.from(shapes.rows, (row) => session.layout.nodes[row] ?? -1)
        FakeMapWorker.lastShapes = { ...shapes, nodes }
        const bitmap = { width: 1, height: 1, close: () => undefined } as ImageBitmap
        return { bitmap, shapes: FakeMapWorker.lastShapes, titled }
      },
      writeFile: (request, { signal }) =>
        writeMapFile({
          ...request,
          subject: session.describeFile(request),
          look,
          scale: 1,
          measureText: (text) => text.length * 7,
          isStopped: () => signal.aborted,
          onProgress: () => undefined,
        }),
    }
  }
}

beforeEach(() => {
  FakeMapWorker.sessions.length = 0
  FakeMapWorker.isClosed = false
  FakeMapWorker.tasks.length = 0
  FakeMapWorker.lastShapes = null
  FakeMapWorker.failureCode = null
  vi.stubGlobal('Worker', FakeMapWorker)
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly callback: (entries: unknown[]) => void
      constructor(callback: (entries: unknown[]) => void) {
        this.callback = callback
      }
      observe(target: Element): void {
        const contentRect = { width: 800, height: 600 }
        void Promise.resolve().then(() =>
          this.callback([{ target, contentRect, contentBoxSize: [{ inlineSize: 800, blockSize: 600 }] }]),
        )
      }
      unobserve(): void {}
      disconnect(): void {}
    },
  )
})
afterEach(() => {
  vi.unstubAllGlobals()
  document.body.innerHTML = ''
})

const createFrame = (zoom: number): MapFrameRequest => ({
  view: { x: 0, y: 0, zoomX: zoom, zoomY: zoom },
  size: { width: 800, height: 600 },
  margin: 0,
  scale: 1,
  selected: 2,
  current: -1,
})

/** Bones (Spine, Skull (Vault)) and Joints. */
async function openMap(handlers: Parameters<typeof installFakeServiceProcess>[0] = {}) {
  installFakeServiceProcess(handlers)
  const mounted = mountComponent(CardMap, {
    props: {
      selected: -1,
      rowMenu: () => [{ id: 'open-card', label: 'Open card', run: () => undefined }],
      describeNode: () => '',
    },
  })
  onTestFinished(() => mounted.unmount())
  // A store that is found later may be the one of an earlier test, whose actions still end.
  const choice = useMapChoice()
  const reader = new TreeReader('')
  const forest = markRaw(new Forest())
  reader.readNodes([
    { noteid: 'bones', title: 'Bones' },
    { noteid: 'spine', title: 'Spine', parent: 'bones' },
    { noteid: 'skull', title: 'Skull', parent: 'bones' },
    { noteid: 'vault', title: 'Vault', parent: 'skull' },
    { noteid: 'joints', title: 'Joints' },
  ])
  forest.appendChunk(reader.linkNodes())
  forest.finishLoading(true)
  forest.expanded[0] = 1
  const tree = useTree()
  tree.$patch((state) => {
    state.key = { topicid: 'T', root: '', sort: '', pageSize: 10 }
    state.status = 'complete'
    state.forest = forest
    state.rows = computeVisibleRows(forest, null)
    state.loadedCount = forest.count
  })
  const session = (): MapSession => FakeMapWorker.sessions.at(-1) as MapSession
  await vi.waitFor(() => expect(session().layout.length).toBe(4))
  return { mounted, tree, forest, session, choice }
}

test('shows all of another map, whatever part of this one was in sight', async () => {
  const { tree, forest } = await openMap()
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBeGreaterThan(0))
  const fitted = FakeMapWorker.lastZoom
  getByRole('button', 'Zoom in').click()
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBeGreaterThan(fitted))
  tree.$patch((state) => {
    state.key = { topicid: 'U', root: '', sort: '', pageSize: 10 }
    state.rows = computeVisibleRows(forest, null)
  })
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBe(fitted))
})

/** Turns the wheel by one notch, and waits until the map is enlarged by that factor. */
async function turnWheel(factor: number, keys: MouseEventInit): Promise<void> {
  const before = FakeMapWorker.lastZoom
  // The wheel events of the test environment know no keys.
  const event = Object.assign(new MouseEvent('wheel', keys), { deltaX: 0, deltaY: -100, deltaMode: 0 })
  getByRole('tree', 'Mind map').dispatchEvent(event)
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom / before).toBeCloseTo(factor))
}

test('the wheel moves the map and zooms with Ctrl, or zooms and moves with Shift where that is set', async () => {
  await openMap()
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBeGreaterThan(0))
  const countFrames = (): number => FakeMapWorker.tasks.filter((task) => task === 'drawFrame').length
  for (const [mapWheel, moving, zooming] of [
    ['pan', {}, { ctrlKey: true }],
    ['zoom', { shiftKey: true }, {}],
  ] as const) {
    useSettings().update({ mapWheel })
    const frameCount = countFrames()
    await turnWheel(1, moving)
    await vi.waitFor(() => expect(countFrames()).toBeGreaterThan(frameCount))
    await turnWheel(1.35, zooming)
  }
})

test('the map says how it is moved, as it is set, until the user moved or zoomed one', async () => {
  const [{ mounted }, settings] = [await openMap(), useSettings()]
  expect(mounted.text()).toContain('Drag or scroll to move.')
  settings.update({ mapWheel: 'zoom' })
  // The map moves to a card by itself, which is not how a user learns to move it.
  await (mounted.vm as unknown as { show(node: number): Promise<void> }).show(1)
  await flushPromises()
  expect(mounted.text()).toContain('Scroll or pinch to zoom')
  getByRole('button', 'Zoom in').click()
  await flushPromises()
  expect(mounted.text()).not.toContain('Scroll or pinch to zoom')
  settings.reset()
  expect(settings.values).toMatchObject({ mapMoved: true, mapWheel: 'pan' })
})

test('the map has the rows of the tree, its controls and the number of cards', async () => {
  const { mounted, tree, forest, session, choice } = await openMap()
  const region = getByRole('region', 'Map')
  expect(region.querySelectorAll('canvas')).toHaveLength(1)
  expect(region.textContent).toContain('5 cards · 4 drawn')
  for (const name of ['Fit', 'Zoom in', 'Zoom out']) getByRole('button', name).click()
  forest.expanded[2] = 1
  tree.rows = computeVisibleRows(forest, null)
  await vi.waitFor(() => expect(session().layout.length).toBe(5))
  expect(region.textContent).toContain('5 cards')
  expect(region.textContent).not.toContain('drawn')
  choice.projection = 'icicle'
  await vi.waitFor(() => expect(session().layout.projection).toBe('icicle'))
  mounted.unmount()
  expect(FakeMapWorker.isClosed).toBe(true)
})

test('keys go from card to card, expand and open them, and the active card has the roles of a tree', async () => {
  const { mounted } = await openMap()
  const tree = getByRole('tree', 'Mind map')
  const active = (): HTMLElement =>
    document.getElementById(tree.getAttribute('aria-activedescendant') ?? '') as HTMLElement
  expect(active().getAttribute('aria-label')).toBe('Bones')
  pressKey(tree, 'ArrowDown')
  pressKey(tree, 'ArrowDown')
  await flushPromises()
  const [item] = findAllByRole('treeitem')
  expect(item).toBe(active())
  expect(active().getAttribute('aria-label')).toBe('Skull')
  expect(active().getAttribute('aria-level')).toBe('2')
  expect(active().getAttribute('aria-posinset')).toBe('2')
  expect(active().getAttribute('aria-expanded')).toBe('false')
  expect(mounted.emitted('select')).toEqual([
    [1, true],
    [2, true],
  ])
  pressKey(tree, 'ArrowRight')
  pressKey(tree, 'Enter')
  pressKey(tree, 't')
  pressKey(tree, '*')
  expect(mounted.emitted('toggle')).toEqual([[2, true]])
  expect(mounted.emitted('open')).toEqual([[2]])
  expect(mounted.emitted('leave')).toHaveLength(1)
  expect(mounted.emitted('siblings')).toEqual([[2]])
  mounted.unmount()
})

test('the worker gets the font before the titles, and the cards before their places', async () => {
  await openMap()
  const { tasks } = FakeMapWorker
  expect(tasks[0]).toBe('setLook')
  const placing = ['addTitles', 'setCards', 'place']
  await vi.waitFor(() =>
    expect(tasks.slice(tasks.indexOf('addTitles')).filter((task) => placing.includes(task))).toEqual(placing),
  )
})

test('a renamed card and the cards in collapsed branches reach the worker', async () => {
  const { tree, forest, session, mounted } = await openMap()
  const getTexts = (): string[] =>
    session()
      .draw(createFrame(1))
      .scene.texts.map(({ text }) => text)
  await vi.waitFor(() => expect(getTexts()).toEqual(expect.arrayContaining(['Bones', 'Spine', 'Skull', 'Joints', '1'])))
  forest.setTitle(2, '颅骨')
  tree.rows = computeVisibleRows(forest, null)
  await vi.waitFor(() => expect(getTexts()).toContain('颅骨'))
  mounted.unmount()
})

test('what was read is on cards and colors blocks, and the legend names and counts it', async () => {
  const paletteColor = { hex: '#ff0000', rgba: { r: 255, g: 0, b: 0, a: 1 } }
  const palette = { colors: [{ colorIndex: 3, baseColor: paletteColor, displayColor: paletteColor }] }
  const { session } = await openMap({
    'bridge.limits': () => readHostLimits({ routes: [], noteMetadata: { maxNoteIds: 50 } }),
    'bridge.read': (input) => {
      const { endpoint, body } = input as ReadInput & { body?: { noteIds: string[] } }
      const items = (body?.noteIds ?? []).map((noteid) => ({
        noteid,
        metadata: noteid === 'spine' ? { colorIndex: 3 } : {},
        parts: noteid === 'spine' ? [{ kind: 'ink' }] : [],
      }))
      const routes = [{ method: 'POST', path: '/notes/batch-get' }]
      return createReadReply(endpoint, JSON.stringify({ ...palette, routes, items }))
    },
  })
  useConnection().state = createConnectionState()
  const getFills = (zoom: number): (string | null)[] => {
    const { boxes, blocks } = session().draw(createFrame(zoom)).scene
    return [...boxes, ...blocks.filter((block) => block.boxes.length > 0)].map(({ fill }) => fill)
  }
  await vi.waitFor(() => expect(getFills(1)).toContain('rgb(255, 0, 0)'))
  expect(getFills(0.2)).toContain('rgb(255, 0, 0)')
  const getGlyphs = (): string[] | undefined =>
    session()
      .draw(createFrame(1))
      .scene.glyphs?.map(({ glyph }) => glyph)
  await vi.waitFor(() => expect(getGlyphs()).toEqual(['ink']))
  getByRole('button', 'Legend').click()
  await vi.waitFor(() => expect(document.body.textContent).toContain('The colors of the 4 cards that were read.'))
  expect(document.body.textContent).toContain('Ink')
})

function resolveIds(tree: ReturnType<typeof useTree>): void {
  const ids = ['bones', 'spine', 'skull', 'vault', 'joints']
  tree.indexesOf = (noteids) => Promise.resolve(Int32Array.from(noteids, (noteid) => ids.indexOf(noteid)))
}

const snapshot = (id: number): SnapshotInfo => ({
  ...{ id, topicid: 'T', host: 'http://127.0.0.1:1', startedAt: id * 1000, endedAt: id * 1000, seenAt: id * 1000 },
  ...{ origin: { kind: 'place', label: null }, isRequested: false, cards: 4, detailed: 0, pages: 1, hostCount: 4 },
  ...{ gaps: [], isInTreeOrder: true, members: ['title'], bytes: 10, excerpts: null, palette: null },
  anomalies: { duplicates: 0, orphans: 0, circles: 0 },
})

test('former places have rows of their own, lead to their cards, and can be hidden', async () => {
  const ghost = { isRemoved: false, parentId: 'bones', followsId: 'spine', below: 0 }
  const ghosts = [
    { ...ghost, noteid: 'joints', title: 'Joints of old' },
    { ...ghost, noteid: 'gone', title: 'Ribs', isRemoved: true, below: 3 },
    { ...ghost, noteid: 'vault', title: 'Vault', parentId: 'skull', followsId: '' },
  ]
  const { mounted, tree, session, choice } = await openMap({
    'snapshots.ghosts': (input) => {
      const { offset } = input as IpcInput<'snapshots.ghosts'>
      return { ghostCount: ghosts.length, uncovered: 1, offset, ghosts: ghosts.slice(offset, offset + 2) }
    },
  })
  const changes = useTreeChanges()
  resolveIds(tree)
  changes.$patch((state) => {
    state.marks = {
      ...{ before: snapshot(1), after: snapshot(2), changes: 3, removedAtTop: 0, markCount: 0 },
      ...{ tones: new Uint8Array(5), markByNode: new Map(), outside: 0 },
    }
  })
  await vi.waitFor(() => expect(session().layout.length).toBe(7))
  const region = getByRole('region', 'Map')
  await vi.waitFor(() =>
    expect(region.textContent).toContain('2 former places · 1 in collapsed branches · 1 in parts that the newer'),
  )
  const { scene } = session().draw(createFrame(1))
  const texts = scene.texts.map(({ text, isStruck = false }) => [text, isStruck])
  expect(texts).toContainEqual(['Ribs', true])
  expect(scene.arrows).toHaveLength(1)

  const isGhostOf = (index: number) => (node: number) => getGhostIndex(node) === index
  await vi.waitFor(() => expect(FakeMapWorker.lastShapes?.nodes.some(isGhostOf(0))).toBe(true))
  await flushPromises()
  const clickGhost = (index: number): void => {
    const shapes = FakeMapWorker.lastShapes
    const shape = shapes?.nodes.findIndex(isGhostOf(index)) ?? -1
    const [left = 0, top = 0] = shapes?.boxes.subarray(shape * 4) ?? []
    const position = { clientX: left - FRAME_MARGIN_PX + 2, clientY: top - FRAME_MARGIN_PX + 2 }
    getByRole('tree', 'Mind map').dispatchEvent(new MouseEvent('click', { bubbles: true, ...position }))
  }
  clickGhost(1)
  expect(mounted.emitted('reveal')).toBeUndefined()
  clickGhost(0)
  expect(mounted.emitted('reveal')).toEqual([[4]])
  expect(mounted.emitted('select')).toBeUndefined()

  getByRole('button', 'Former places').click()
  await vi.waitFor(() => expect(session().layout.length).toBe(4))
  expect(region.textContent).not.toContain('former place')
  choice.hasGhosts = true
  await vi.waitFor(() => expect(session().layout.length).toBe(7))
  choice.projection = 'icicle'
  await vi.waitFor(() => expect(session().layout.length).toBe(4))
  await vi.waitFor(() => expect(region.textContent).toContain('columns draw no former places'))
})

test('a sub-map that the host lists has a frame around its cards', async () => {
  const { mounted, tree, session } = await openMap()
  tree.indexesOf = (ids) => Promise.resolve(Int32Array.from(ids, (id) => ['bones', 'spine', 'skull'].indexOf(id)))
  await mounted.setProps({ subMaps: [{ noteid: 'bones' }, { noteid: 'gone' }] })
  const getRows = (): number[] | undefined =>
    session()
      .draw(createFrame(1))
      .scene.frames?.map(({ row }) => row)
  await vi.waitFor(() => expect(getRows()).toEqual([0]))
})

/** Chooses an item of the export menu, and returns the text of the saved file. */
async function exportDrawing(index: number): Promise<string> {
  const saved: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => (saved.push(blob as Blob), 'blob:x'))
  getByRole('button', 'Export the view or the whole map').click()
  await flushPromises()
  findAllByRole('menuitem')[index]?.click()
  await vi.waitFor(() => expect(saved).toHaveLength(1))
  return (await saved[0]?.text()) ?? ''
}

test('a file of all rows has each of them, and its legend says what was not read', async () => {
  await openMap()
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBeGreaterThan(0))
  const svg = await exportDrawing(3)
  for (const title of ['Bones', 'Spine', 'Skull', 'Joints']) expect(svg).toContain(`>${title}</text>`)
  expect(svg).toContain('The whole map as it was expanded and filtered: 4 of 5 cards drawn.')
  expect(svg).toContain('Marks like colors are those of the 0 cards that were read of the 4 drawn.')
  expect(svg).not.toContain('A filter was on')
  expect(svg).not.toContain('Selected card')
})

test('a file of a filtered map that is not complete says both', async () => {
  const { tree, forest } = await openMap()
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBeGreaterThan(0))
  const filter = createTreeFilter(forest, Uint32Array.of(2))
  tree.$patch((state) => {
    state.status = 'cancelled'
    state.filter = filter
    state.rows = computeVisibleRows(forest, filter)
  })
  const svg = await exportDrawing(3)
  expect(svg).toContain('2 of 5 cards drawn')
  expect(svg).toContain('A filter was on: 1 match, with the cards above it.')
  expect(svg).toContain('The study set was not read to its end: only 5 cards were.')
})

test('a file of what is in sight is called a part', async () => {
  await openMap()
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBeGreaterThan(0))
  const svg = await exportDrawing(1)
  expect(svg).toContain('A part of the map, what was in sight: 4 cards drawn one by one and 0 in blocks, of 5.')
})

test('without workers the place says so and leads to the tree', async () => {
  vi.stubGlobal('Worker', undefined)
  installFakeServiceProcess({})
  const mounted = mountComponent(CardMap, { props: { selected: -1, rowMenu: () => [], describeNode: () => '' } })
  onTestFinished(() => mounted.unmount())
  await vi.waitFor(() => expect(getByRole('alert').textContent).toContain('The map can’t be drawn.'))
  expect(getByRole('alert').textContent).toContain('This browser can’t draw in the background')
  getByRole('button', 'Show the tree').click()
  expect(mounted.emitted('leave')).toHaveLength(1)
})

test('a failure of the graphics is shown until they work again, and the map is drawn anew', async () => {
  const { tree, forest } = await openMap()
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBeGreaterThan(0))
  FakeMapWorker.failureCode = 'MAP_LOST'
  tree.rows = computeVisibleRows(forest, null)
  await vi.waitFor(() => expect(getByRole('alert').textContent).toContain('lost its graphics'))
  FakeMapWorker.lastZoom = 0
  FakeMapWorker.restore()
  await vi.waitFor(() => expect(findAllByRole('alert')).toEqual([]))
  await vi.waitFor(() => expect(FakeMapWorker.lastZoom).toBeGreaterThan(0))
})

test('F2 renames the active card, whose description says what the picture shows of it', async () => {
  const { mounted } = await openMap()
  const tree = getByRole('tree', 'Mind map')
  pressKey(tree, 'F2')
  expect(mounted.emitted('rename')).toEqual([[0]])
  expect(findAllByRole('treeitem')[0]?.getAttribute('aria-description')).toContain('2 children')
})

test('the calls of a load mark the cards that they named, up to one of them', async () => {
  const startedAt = new Date(2026, 4, 17, 9, 30).getTime()
  const createCall = (seq: number, isWrite: boolean, cards: number[]) => ({
    ...{ seq, startedAt: startedAt + seq * 1000, method: 'POST', template: '/notes/batch-get', isWrite, cards },
  })
  const { tree, session } = await openMap({
    'recordings.loads': () => ({ loads: [] }),
    'recordings.cardPath': () => ({
      noteids: ['spine', 'vault', 'elsewhere'],
      calls: [createCall(4, false, [0, 2]), createCall(5, false, [1]), createCall(6, true, [0])],
      ...{ searched: 9, unread: 2, isCut: false },
    }),
  })
  resolveIds(tree)
  getByRole('button', 'Path of calls').click()
  const find = <E extends Element>(selector: string): Promise<E> =>
    vi.waitFor(() => document.querySelector<E>(selector) ?? expect.fail(`no ${selector}`))
  const select = await find<HTMLSelectElement>('select[aria-label="Calls of"]')
  select.value = 'this-run'
  select.dispatchEvent(new Event('change', { bubbles: true }))

  const slider = await find<HTMLInputElement>('input[type="range"][aria-label="Call"]')
  expect(slider.getAttribute('aria-valuetext')).toContain('Call 3 of 3')
  const region = getByRole('region', 'Path of calls')
  expect(region.textContent).toContain('2 cards named · 1 in collapsed branches · 1 not in this tree · 2 bodies')
  const getCounts = (): string[] =>
    session()
      .draw(createFrame(1))
      .scene.texts.map(({ text }) => text)
      .filter((text) => text.startsWith('×'))
  await vi.waitFor(() => expect(getCounts()).toEqual(['×2', '×1']))
  expect(session().draw(createFrame(1)).scene.arrows).toHaveLength(2)

  slider.value = '1'
  slider.dispatchEvent(new Event('input', { bubbles: true }))
  await vi.waitFor(() => expect(getCounts()).toEqual(['×1']))
  expect(slider.getAttribute('aria-valuetext')).toContain('Call 1 of 3')
  expect(region.textContent).toContain('1 card named · 1 not in this tree')
  getByRole('button', 'Close the path of calls').click()
  await vi.waitFor(() => expect(getCounts()).toEqual([]))
})
