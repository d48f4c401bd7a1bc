import path from 'node:path'
import { z } from 'zod'
import { allowListSchema, panelSourceSchema, type AllowList, type PanelSource } from '../../../shared/panel/panel.ts'
import { isObject } from '../../../shared/json/object.ts'
import { createTokenInRequestError } from '../console/collections.ts'
import { readJsonFile, writeAtomic } from '../files/atomic-file.ts'

/** How calls of a panel are handled. Permission for writes is not stored, so not part of it. */
export interface PanelChoices {
  readonly mode: AllowList['mode']
  readonly mine: AllowList['mine']
  readonly pluginId: string | null
}

const DEFAULT_CHOICES: PanelChoices = { mode: 'host', mine: [], pluginId: null }
const MAX_RECENT = 20

const entrySchema = z.object({
  source: panelSourceSchema,
  mode: allowListSchema.shape.mode.catch('host'),
  mine: allowListSchema.shape.mine.catch([]),
  pluginId: z.string().max(200).nullable().catch(null),
})
type Entry = z.infer<typeof entrySchema>

const isSame = (source: PanelSource, otherSource: PanelSource): boolean => buildKey(source) === buildKey(otherSource)

/** Builds the key of a source, which does not depend on the order of its members. */
const buildKey = (source: PanelSource): string => {
  if (source.kind === 'folder') return `folder ${source.path}`
  return source.kind === 'server' ? `server ${source.url}` : `sample ${source.name}`
}

/** Recently opened panels with their choices, in `panels.json` of the data directory. */
export function openPanelStore(dataDir: string, conceal: (text: string) => string) {
  const file = path.join(dataDir, 'panels.json')
  const { value } = readJsonFile(file, isObject)
  const listed = isObject(value) && Array.isArray(value['panels']) ? (value['panels'] as unknown[]) : []
  let entries = listed.flatMap((entry): Entry[] => {
    const parsed = entrySchema.safeParse(entry)
    return parsed.success ? [parsed.data] : []
  })
  const writeEntries = (newEntries: Entry[]): void => {
    const text = `${JSON.stringify({ panels: newEntries }, null, 2)}\n`
    if (conceal(text) !== text) throw createTokenInRequestError()
    writeAtomic(file, text)
    entries = newEntries
  }
  const listOthers = (source: PanelSource): Entry[] => entries.filter((entry) => !isSame(entry.source, source))
  return {
    recent: (): PanelSource[] => entries.map(({ source }) => source),
    getChoices: (source: PanelSource): PanelChoices =>
      entries.find((entry) => isSame(entry.source, source)) ?? DEFAULT_CHOICES,
    /** @throws STORE_FAILED; TOKEN_IN_REQUEST when the source or a choice contains a token. */
    save: (source: PanelSource, { mode, mine, pluginId }: PanelChoices): void =>
      writeEntries([{ source, mode, mine: [...mine], pluginId }, ...listOthers(source)].slice(0, MAX_RECENT)),
    forget: (source: PanelSource): void => writeEntries(listOthers(source)),
  }
}
