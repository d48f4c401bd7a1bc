import { createPinia, setActivePinia } from 'pinia'
import { expect, onTestFinished, test, vi } from 'vitest'
import { effectScope, markRaw, ref, shallowRef } from 'vue'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../../renderer/model/tree/tree-rows.ts'
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
