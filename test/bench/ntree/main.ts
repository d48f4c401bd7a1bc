/* eslint vue/one-component-per-file: "off" -- two pages in one, one of them is mounted */
import { NTree, type TreeOption } from 'naive-ui'
import { createApp, h } from 'vue'
import VirtualTree from '../../../renderer/components/tree/VirtualTree.vue'
import '../../../renderer/styles/tokens.css'
import '../../../renderer/styles/base.css'
import { setAllExpanded } from '../../../renderer/model/tree/expansion.ts'
import { Forest } from '../../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../../renderer/model/tree/tree-rows.ts'
import { createTestTranslator } from '../../support/vue/translator.ts'
import './grids.ts'

interface Node {
  noteid: string
  parent: string | null
  title: string
}

/**
 * Mounts what was prepared: both trees begin with cards that were read, as their program does in a
 * worker or before.
 */
type Mount = () => void

/** The same cards, all expanded, in naive-ui's tree with virtual scrolling. */
function nested(nodes: readonly Node[]): TreeOption[] {
  const byId = new Map<string, TreeOption>()
  const roots: TreeOption[] = []
  for (const { noteid, parent, title } of nodes) {
    const option: TreeOption = { key: noteid, label: title }
    byId.set(noteid, option)
    const above = parent === null ? undefined : byId.get(parent)
    if (above) (above.children ??= []).push(option)
    else roots.push(option)
  }
  return roots
}

function prepareNaive(nodes: readonly Node[]): Mount {
  const data = nested(nodes)
  const app = createApp({
    render: () =>
      h(NTree, {
        data,
        virtualScroll: true,
        defaultExpandAll: true,
        blockLine: true,
        style: 'height: 100vh',
        id: 'tree',
      }),
  })
  return () => void app.mount('#app')
}

function prepareOurs(nodes: readonly Node[]): Mount {
  const forest = new Forest()
  forest.appendChunk(new TreeReader().addNodes(nodes))
  setAllExpanded(forest, true)
  const props = { forest, rows: computeVisibleRows(forest, null), filter: null, label: 'Tree', selected: -1 }
  const app = createApp({ render: () => h(VirtualTree, { ...props, highlight: '', id: 'tree' }) })
  return () => void app.use(createTestTranslator('en')).mount('#app')
}

Object.assign(window, { prepareNaive, prepareOurs })
