import { z } from 'zod'
import { isUpdateFeedUrl } from './updates.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

/** How the user arranged the columns of a table. Unknown ids are ignored. */
const gridLayoutSchema = z.strictObject({
  order: z.array(z.string().max(100)).max(100),
  hidden: z.array(z.string().max(100)).max(100),
  widths: z.record(z.string().max(100), z.number().min(16).max(4000)),
})

/** The user's settings. `defaultSettings` holds the value of each until the user changes it. */
export const settingsSchema = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  locale: z.enum(['system', 'en', 'zh-CN']),
  density: z.enum(['compact', 'comfortable']),
  /** The hash route to which the program returns at the next start. */
  lastPlace: z.string().max(2000),
  navCollapsed: z.boolean(),
  /** True if the user took or declined the tour, which is then not offered again. */
  tourSeen: z.boolean(),
  inspectorOpen: z.boolean(),
  inspectorWidth: z.number().int().min(240).max(900),
  /** Width of the pane beside a list; 0 follows the width of the window. */
  detailWidth: z.number().int().min(0).max(1200),
  /** Nodes per response of the card listing (spec §8 limit). */
  treePageSize: z.number().int().min(1).max(5000),
  connectTimeoutMs: z.number().int().min(100).max(120_000),
  idleTimeoutMs: z.number().int().min(100).max(600_000),
  totalTimeoutMs: z.number().int().min(100).max(3_600_000),
  heartbeatMs: z.number().int().min(500).max(600_000),
  /** Responses with more decoded bytes are refused. */
  responseLimitBytes: z.number().int().min(1024).max(4_294_967_296),
  /** Larger pictures are drawn only on request: each pixel takes 4 bytes of memory. */
  imageMegapixels: z.number().int().min(1).max(2_000),
  /** What a wheel without keys does on a map. */
  mapWheel: z.enum(['pan', 'zoom']),
  /** True if the user moved or zoomed a map, which then no longer says how. */
  mapMoved: z.boolean(),
  /** Rows of the tree show the first picture of their card. */
  treeThumbnails: z.boolean(),
  /** After this many cards of one listing, the user is asked whether to continue. */
  treeMaxCards: z.number().int().min(1_000).max(10_000_000),
  /** After this many pages without cards in a row, the user is asked whether to continue. */
  treeEmptyPages: z.number().int().min(1).max(1_000),
  /** After this many rendered bytes of the guide, the user is asked whether to continue. */
  guideBytes: z.number().int().min(65_536).max(268_435_456),
  /** Days for which finished operation records are kept, unless the journal grows too large. */
  journalKeepDays: z.number().int().min(1).max(3650),
  journalMaxMb: z.number().int().min(1).max(10_000),
  /** Days to keep exchanges, unless the store grows too large. `trafficBodyMb` is per body. */
  trafficKeepDays: z.number().int().min(1).max(3650),
  trafficMaxMb: z.number().int().min(10).max(100_000),
  trafficBodyMb: z.number().int().min(1).max(128),
  /** Days for which snapshots of study sets are kept, unless their store grows too large. */
  snapshotKeepDays: z.number().int().min(1).max(3650),
  snapshotMaxMb: z.number().int().min(1).max(100_000),
  /** No update requests are made if the address is empty. */
  updateUrl: z
    .string()
    .max(2000)
    .refine((url) => url === '' || isUpdateFeedUrl(url)),
  /** Key bindings by action id; only those that differ from the default. */
  shortcuts: z.record(z.string().max(100), z.string().max(100)),
  /** Files or folders that only pass on calls (`src/bridge.ts`): their caller's line is named. */
  panelWrappers: z.array(z.string().min(1).max(200)).max(50),
  /** The desktop app takes small pictures of a panel's page by itself, for recordings. */
  panelPictures: z.boolean(),
  /** Columns by table id; only those that were changed. */
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
  detailWidth: 0,
  treePageSize: 5000,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
  totalTimeoutMs: 300_000,
  heartbeatMs: 5_000,
  responseLimitBytes: 268_435_456,
  imageMegapixels: 50,
  mapWheel: 'pan',
  mapMoved: false,
  treeThumbnails: false,
  treeMaxCards: 1_000_000,
  treeEmptyPages: 20,
  guideBytes: 2_097_152,
  journalKeepDays: 90,
  journalMaxMb: 100,
  trafficKeepDays: 14,
  trafficMaxMb: 500,
  trafficBodyMb: 64,
  snapshotKeepDays: 30,
  snapshotMaxMb: 200,
  updateUrl: '',
  shortcuts: {},
  panelWrappers: [],
  panelPictures: true,
  grids: {},
  trafficFilters: [],
}

export const settingsMethods = {
  'settings.get': defineQueryMethod(z.strictObject({}), settingsSchema),
  /** Returns all settings after the change. */
  'settings.update': defineCommandMethod(settingsSchema.partial(), settingsSchema),
}

export const settingsTopics = {
  'settings.changed': defineTopic(settingsSchema),
}
