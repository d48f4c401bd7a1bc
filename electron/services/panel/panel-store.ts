import path from 'node:path'
import { z } from 'zod'
import { allowListSchema, panelSourceSchema, type AllowList, type PanelSource } from '../../../shared/panel/panel.ts'
import { isObject } from '../../../shared/json/object.ts'
import { createTokenInRequestError } from '../console/collections.ts'
import { readJsonFile, writeAtomic } from '../files/atomic-file.ts'

/** How the calls of one panel are met; writes are asked about anew in each run. */
export interface PanelChoices {
  readonly mode: AllowList['mode']
  readonly mine: AllowList['mine']
  readonly pluginId: string | null
}

const noChoices: PanelChoices = { mode: 'host', mine: [], pluginId: null }
const MAX_RECENT = 20

const entrySchema = z.object({
  source: panelSourceSchema,
  mode: allowListSchema.shape.mode.catch('host'),
  mine: allowListSchema.shape.mine.catch([]),
  pluginId: z.string().max(200).nullable().catch(null),
})
type Entry = z.infer<typeof entrySchema>

/** Panels opened before, with what was chosen for each: `panels.json` in the data directory. */
interface PanelStore {
  recent(): PanelSource[]
  getChoices(source: PanelSource): PanelChoices
  /**
   * It was opened now, with these choices. Throws `STORE_FAILED`, and `TOKEN_IN_REQUEST` for what
   * holds a token.
   */
  save(source: PanelSource, choices: PanelChoices): void
  forget(source: PanelSource): void
}

const isSame = (one: PanelSource, other: PanelSource): boolean => keyOf(one) === keyOf(other)

/** Names what is meant, whatever the order of members. */
const keyOf = (source: PanelSource): string => {
  if (source.kind === 'folder') return `folder ${source.path}`
  return source.kind === 'server' ? `server ${source.url}` : `sample ${source.name}`
}

export function openPanelStore(dataDir: string, conceal: (text: string) => string): PanelStore {
  const file = path.join(dataDir, 'panels.json')
  const { value } = readJsonFile(file, isObject)
  const listed = isObject(value) && Array.isArray(value['panels']) ? (value['panels'] as unknown[]) : []
  let entries = listed.flatMap((one): Entry[] => {
    const parsed = entrySchema.safeParse(one)
    return parsed.success ? [parsed.data] : []
  })
  const write = (next: Entry[]): void => {
    const text = `${JSON.stringify({ panels: next }, null, 2)}\n`
    if (conceal(text) !== text) throw createTokenInRequestError()
    writeAtomic(file, text)
    entries = next
  }
  const others = (source: PanelSource): Entry[] => entries.filter((one) => !isSame(one.source, source))
  return {
    recent: () => entries.map(({ source }) => source),
    getChoices: (source) => entries.find((one) => isSame(one.source, source)) ?? noChoices,
    save: (source, { mode, mine, pluginId }) =>
      write([{ source, mode, mine: [...mine], pluginId }, ...others(source)].slice(0, MAX_RECENT)),
    forget: (source) => write(others(source)),
  }
}
