import { createPinia, setActivePinia } from 'pinia'
import { expect, onTestFinished, test, vi } from 'vitest'
import { defineComponent, effectScope, h, markRaw, ref, shallowRef } from 'vue'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../../renderer/model/tree/tree-rows.ts'
import { useFileLegend } from '../../../renderer/panes/map/file-legend.ts'
import { useMapPointer } from '../../../renderer/panes/map/map-pointer.ts'
import MapHoverCard from '../../../renderer/panes/map/MapHoverCard.vue'
import { useSubMapRoots } from '../../../renderer/stores/sub-maps.ts'
import { useTree } from '../../../renderer/stores/tree.ts'
import { installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

/** Bones (Spine, Skull), which is a sub-map; the skull has a problem. */
function showBones(): void {
  const reader = new TreeReader('')
  const forest = markRaw(new Forest())
  reader.readNodes([
    { noteid: 'bones', title: 'Bones' },
    { noteid: 'spine', title: 'Spine', parent: 'bones' },
    { noteid: 'skull', title: 'Skull', parent: 'bones' },
  ])
  forest.appendChunk(reader.linkNodes())
  forest.finishLoading(true)
  forest.expanded[0] = 1
  forest.markProblem(2)
  useTree().$patch((state) => {
    state.forest = forest
    state.rows = computeVisibleRows(forest, null)
  })
  useSubMapRoots().nodes = Int32Array.of(0)
}

async function hover(node: number, blockSize: number): Promise<string> {
  installFakeServiceProcess({})
  const mounted = mountComponent(MapHoverCard, {
    props: {
      hovered: { node, blockSize, x: 0, y: 0 },
      size: { width: 800, height: 600 },
      isCurrent: false,
      describeNode: () => 'Ink',
      describeGhost: () => ({ title: '', lines: [] }),
    },
  })
  onTestFinished(() => mounted.unmount())
  showBones()
  await vi.waitFor(() => expect(mounted.text()).not.toBe(''))
  return mounted.text()
}

test('the card under the pointer names the sub-map around it', async () => {
  expect(await hover(1, 0)).toBe('SpineIn the sub-map BonesInk')
})

test('a block under the pointer counts its cards and their problems', async () => {
  expect(await hover(0, 3)).toBe('Bones3 cards in this block · 1 of them with a problem in the data')
})

test('what is said of the card under the pointer goes as soon as the map moves', () => {
  installFakeServiceProcess({})
  setActivePinia(createPinia())
  const view = shallowRef<unknown>({ scale: 1 })
  const camera = {
    view,
    frame: shallowRef({ shapes: { nodes: [7], blockSizes: [0] } }),
    findShape: () => 0,
  } as unknown as Parameters<typeof useMapPointer>[0]
  const gestures = { isDragging: ref(false), toPoint: () => ({ x: 1, y: 1 }) } as unknown as Parameters<
    typeof useMapPointer
  >[1]
  const target = {} as Parameters<typeof useMapPointer>[2]
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  scope.run(() => {
    const { hovered, onMove } = useMapPointer(camera, gestures, target)
    onMove(new MouseEvent('pointermove') as PointerEvent)
    expect(hovered.value?.node).toBe(7)
    view.value = { scale: 2 }
    expect(hovered.value).toBeNull()
  })
})

test('a double click goes into an expanded branch of an overview, and expands a collapsed one', () => {
  installFakeServiceProcess({})
  setActivePinia(createPinia())
  showBones()
  const shapes = { isOverview: true, nodes: [0], blockSizes: [0] }
  const calls: string[] = []
  const camera = {
    view: shallowRef<unknown>({ scale: 1 }),
    frame: shallowRef({ shapes }),
    findShape: () => 0,
    findBox: () => null,
    zoom: () => calls.push('zoom'),
  } as unknown as Parameters<typeof useMapPointer>[0]
  const gestures = { isDragging: ref(false), toPoint: () => ({ x: 1, y: 1 }) } as unknown as Parameters<
    typeof useMapPointer
  >[1]
  const target = {
    toggle: () => calls.push('toggle'),
    open: () => calls.push('open'),
  } as unknown as Parameters<typeof useMapPointer>[2]
  const scope = effectScope()
  onTestFinished(() => scope.stop())
  const onDoubleClick = scope.run(() => useMapPointer(camera, gestures, target).onDoubleClick)
  onDoubleClick?.(new MouseEvent('dblclick'))
  useTree().forest.expanded[0] = 0
  onDoubleClick?.(new MouseEvent('dblclick'))
  shapes.nodes[0] = 1
  onDoubleClick?.(new MouseEvent('dblclick'))
  expect(calls).toEqual(['zoom', 'toggle', 'open'])
})

test('the legend of an overview says that its boxes count cards that are not drawn', () => {
  installFakeServiceProcess({})
  let describeFile: ReturnType<typeof useFileLegend>['describeFile'] | undefined
  const Page = defineComponent({
    setup() {
      ;({ describeFile } = useFileLegend())
      return () => h('div')
    },
  })
  const mounted = mountComponent(Page)
  onTestFinished(() => mounted.unmount())
  showBones()
  const coverage = { cardCount: 2, readCount: 2, matchCount: null } as Parameters<NonNullable<typeof describeFile>>[1]
  const content = { frame: {}, nodes: [0, 1], blockCardCount: 0, isOverview: true } as unknown as Parameters<
    NonNullable<typeof describeFile>
  >[2]
  expect(describeFile?.('window', coverage, content).facts[0]).toMatch(/^A part of the map.*: 2 cards drawn as boxes, /)
  const boxContent = { ...content, isOverview: false }
  expect(describeFile?.('window', coverage, boxContent).facts[0]).toMatch(/: 2 cards drawn one by one and 0 in blocks/)
  expect(describeFile?.('rows', coverage, content).facts[0]).toMatch(/^The whole map/)
})
