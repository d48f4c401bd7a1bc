import { z } from 'zod'
import { isUpdateFeedUrl } from './updates.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** The user arranged the columns of a table. Unknown ids are ignored. */
const gridLayoutSchema = z.strictObject({
  order: z.array(z.string().max(100)).max(100),
  hidden: z.array(z.string().max(100)).max(100),
  widths: z.record(z.string().max(100), z.number().min(16).max(4000)),
})

/** All settings with their ranges; `defaultSettings` has the default values. */
export const settingsSchema = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  locale: z.enum(['system', 'en', 'zh-CN']),
  density: z.enum(['compact', 'comfortable']),
  /** The program returns to this hash route at the next start. */
  lastPlace: z.string().max(2000),
  navCollapsed: z.boolean(),
  /** The user took or declined the tour, so it is not offered again. */
  tourSeen: z.boolean(),
  inspectorOpen: z.boolean(),
  inspectorWidth: z.number().int().min(240).max(900),
  /** The card listing is read with this many nodes per response (spec §8 limit). */
  treePageSize: z.number().int().min(1).max(5000),
  connectTimeoutMs: z.number().int().min(100).max(120_000),
  idleTimeoutMs: z.number().int().min(100).max(600_000),
  totalTimeoutMs: z.number().int().min(100).max(3_600_000),
  heartbeatMs: z.number().int().min(500).max(600_000),
  /** A response is refused beyond this many decoded bytes. */
  responseLimitBytes: z.number().int().min(1024).max(4_294_967_296),
  /**
   * Larger pictures (in megapixels) are drawn only on request, because each pixel takes 4 bytes of
   * memory.
   */
  imageMegapixels: z.number().int().min(1).max(2_000),
  /** The user is asked whether to continue after this many cards of one listing. */
  treeMaxCards: z.number().int().min(1_000).max(10_000_000),
  /** The user is asked whether to continue after this many pages without cards in a row. */
  treeEmptyPages: z.number().int().min(1).max(1_000),
  /** The user is asked whether to continue after this many drawn bytes of the guide. */
  guideBytes: z.number().int().min(65_536).max(268_435_456),
  /** Finished operation records are kept for this many days unless the journal grows too large. */
  journalKeepDays: z.number().int().min(1).max(3650),
  journalMaxMb: z.number().int().min(1).max(10_000),
  /**
   * Exchanges are kept for this many days unless their store grows too large. The last limit
   * applies to a single body.
   */
  trafficKeepDays: z.number().int().min(1).max(3650),
  trafficMaxMb: z.number().int().min(10).max(100_000),
  trafficBodyMb: z.number().int().min(1).max(128),
  /** If the feed's address is empty, no update requests are made. */
  updateUrl: z
    .string()
    .max(2000)
    .refine((url) => url === '' || isUpdateFeedUrl(url)),
  /** Maps an action id to its key binding, only if it differs from the default. */
  shortcuts: z.record(z.string().max(100), z.string().max(100)),
  /** Maps a table id to its columns, only if they were changed. */
  grids: z.record(z.string().max(100), gridLayoutSchema),
  /** Each filter is stored as a query of the page's address. */
  trafficFilters: z.array(z.strictObject({ name: z.string().min(1).max(100), query: z.string().max(4000) })).max(200),
})
export type Settings = z.infer<typeof settingsSchema>

export const defaultSettings: Settings = {
  theme: 'system',
  locale: 'system',
  density: 'compact',
  lastPlace: '',
  navCollapsed: false,
  tourSeen: false,
  inspectorOpen: true,
  inspectorWidth: 380,
  treePageSize: 5000,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
  totalTimeoutMs: 300_000,
  heartbeatMs: 5_000,
  responseLimitBytes: 268_435_456,
  imageMegapixels: 50,
  treeMaxCards: 1_000_000,
  treeEmptyPages: 20,
  guideBytes: 2_097_152,
  journalKeepDays: 90,
  journalMaxMb: 100,
  trafficKeepDays: 14,
  trafficMaxMb: 500,
  trafficBodyMb: 64,
  updateUrl: '',
  shortcuts: {},
  grids: {},
  trafficFilters: [],
}

export const settingsMethods = {
  'settings.get': defineQueryMethod(z.strictObject({}), settingsSchema),
  /** Returns all settings as they are after the change. */
  'settings.update': defineCommandMethod(settingsSchema.partial(), settingsSchema),
}

export const settingsTopics = {
  'settings.changed': defineTopic(settingsSchema),
}
