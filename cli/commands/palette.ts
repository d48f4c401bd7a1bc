import { defineCommand } from '../base/command.ts'
import { outputFormatFlag } from '../base/flags.ts'
import { getTextAt, type EntryLayout } from '../output/entry-printer.ts'
import { printList } from './list-output.ts'

const layout: EntryLayout = {
  columns: [
    ['colorIndex', 'colorIndex'],
    ['baseColor', 'baseColor', 'hex'],
    ['displayColor', 'displayColor', 'hex'],
    ...(['baseColor', 'displayColor'] as const).flatMap((color) =>
      (['r', 'g', 'b', 'a'] as const).map((part) => [`${color}.${part}`, color, 'rgba', part] as const),
    ),
  ],
  formatText: (color) =>
    [
      getTextAt(color, 'colorIndex').padStart(3),
      getTextAt(color, 'baseColor', 'hex').padEnd(9),
      getTextAt(color, 'displayColor', 'hex').padEnd(9),
      ...(['baseColor', 'displayColor'] as const).map((name) =>
        `rgba(${['r', 'g', 'b', 'a'].map((part) => getTextAt(color, name, 'rgba', part) || '-').join(', ')})`.padEnd(
          24,
        ),
      ),
    ]
      .join('  ')
      .trimEnd(),
}

export const paletteCommand = defineCommand({
  name: 'palette',
  summary: 'List the palette of a study set: index, own color, color as displayed',
  description: [],
  args: [{ name: 'topic', required: true, completionKind: 'topics', description: 'id of the study set' }],
  flags: [outputFormatFlag],
  examples: [{ commandLine: 'palette TOPIC --profile work', description: 'one line for each color' }],
  hasHostFlags: true,
  run: (context, [topicid = ''], { format, json, ...host }) =>
    printList(context, { id: 'studySets.palette', params: { topicid }, query: {}, host, json, format, layout }),
})
