import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { elementKeyGroups } from '../../../renderer/components/element-keys.ts'
import { isKeyBinding } from '../../../renderer/stores/key-bindings.ts'

const renderer = path.resolve(import.meta.dirname, '../../../renderer')
const KEY_NAMES = /\b(?:Arrow(?:Up|Down|Left|Right)|Page(?:Up|Down)|Home|End|Enter|Escape|F\d+|ContextMenu)\b/g
const KEY_CHARACTERS = /(?:key === |\.toLowerCase\(\) === |case )'(.)'/g
const KEY_MODIFIERS = /@keydown(?:\.alt)?\.(esc|enter|up|down)\b/g
const SPELLINGS: Readonly<Record<string, string>> = {
  esc: 'Escape',
  enter: 'Enter',
  up: 'ArrowUp',
  down: 'ArrowDown',
  f: 'F',
  n: 'N',
  t: 'T',
  ' ': 'Space',
  // The plus without Shift on most keyboards.
  '=': '+',
}

/** The files that handle the keys of each group. */
const handlers: Readonly<Record<string, readonly string[]>> = {
  tree: ['components/tree/VirtualTree.vue', 'components/tree/keyboard-navigation.ts', 'components/menu-item.ts'],
  map: ['panes/map/map-keys.ts', 'components/tree/keyboard-navigation.ts', 'components/menu-item.ts'],
  table: ['components/grid/row-cursor.ts', 'components/grid/GridHeader.vue', 'components/menu-item.ts'],
  search: ['components/SearchField.vue', 'places/tree/TreeToolbar.vue', 'places/tree/tree-filter-field.ts'],
  menu: ['components/PopupMenu.vue', 'shell/CommandPalette.vue'],
  tabs: ['components/TabBar.vue'],
  divider: ['components/PaneResizer.vue'],
  media: [
    'components/media/PdfView.vue',
    'panes/content/ImageStage.vue',
    'panes/content/FilmStrip.vue',
    'places/pages/PagesPlace.vue',
    'places/print/PaperSheets.vue',
  ],
  time: ['places/traffic/RequestStrip.vue'],
  timeline: ['places/panel/TimelineLanes.vue'],
  panel: ['places/panel/CallDetail.vue', 'places/panel/overrides/RuleList.vue'],
}

function listHandledKeys(files: readonly string[]): Set<string> {
  const code = files.map((file) => readFileSync(path.join(renderer, file), 'utf8')).join('\n')
  const keys = [KEY_NAMES, KEY_CHARACTERS, KEY_MODIFIERS].flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => match[1] ?? match[0]),
  )
  return new Set(keys.map((key) => SPELLINGS[key] ?? key))
}

test('every group of the help sheet names its handlers', () => {
  expect(elementKeyGroups.map(({ groupKey }) => groupKey.replace('shortcuts.group.', ''))).toEqual(
    Object.keys(handlers),
  )
})

test.each(elementKeyGroups)('$groupKey lists the keys that the code handles', ({ groupKey, keys }) => {
  const bindings = keys.flatMap((entry) => entry.bindings)
  expect(bindings.filter((binding) => !isKeyBinding(binding))).toEqual([])
  const listed = new Set(bindings.map((binding) => binding.split(/(?<=.)\+/).at(-1)))
  const handled = listHandledKeys(handlers[groupKey.replace('shortcuts.group.', '')] ?? [])
  expect({ unlisted: [...handled].filter((key) => !listed.has(key)) }).toEqual({ unlisted: [] })
  expect({ unhandled: [...listed].filter((key) => key !== undefined && !handled.has(key)) }).toEqual({ unhandled: [] })
})
