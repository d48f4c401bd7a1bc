import { command } from '../base/command.ts'
import { formatFlag, formatOptions, optionsOf } from '../base/flags.ts'
import { textAt, type Shown } from '../output/printer.ts'
import { printListing } from './listing.ts'

const shown: Shown = {
  columns: [
    ['colorIndex', 'colorIndex'],
    ['baseColor', 'baseColor', 'hex'],
    ['displayColor', 'displayColor', 'hex'],
    ...(['baseColor', 'displayColor'] as const).flatMap((color) =>
      (['r', 'g', 'b', 'a'] as const).map((part) => [`${color}.${part}`, color, 'rgba', part] as const),
    ),
  ],
  text: (color) =>
    [
      textAt(color, 'colorIndex').padStart(3),
      textAt(color, 'baseColor', 'hex').padEnd(9),
      textAt(color, 'displayColor', 'hex').padEnd(9),
      ...(['baseColor', 'displayColor'] as const).map((name) =>
        `rgba(${['r', 'g', 'b', 'a'].map((part) => textAt(color, name, 'rgba', part) || '-').join(', ')})`.padEnd(24),
      ),
    ]
      .join('  ')
      .trimEnd(),
}

/** `palette TOPIC`: the colors of a study set. */
export const paletteCommand = command({
  name: 'palette',
  summary: 'List the palette of a study set: index, own color, color as displayed',
  about: [],
  args: [{ name: 'topic', required: true, completes: 'topics', about: 'id of the study set' }],
  flags: [formatFlag],
  examples: [{ line: 'palette TOPIC --profile work', about: 'one line for each color' }],
  host: true,
  options: optionsOf(formatOptions),
  run: (context, [topicid = ''], { format, json, ...host }) =>
    printListing(context, { id: 'studySets.palette', params: { topicid }, query: {}, host, json, format, shown }),
})
