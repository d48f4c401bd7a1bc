import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PanelSource } from '../../../shared/panel/panel.ts'
import { folderSite } from './site/folder.ts'
import { serverSite } from './site/server.ts'
import type { Noting, PanelSite } from './site/site.ts'

/** Files that ship with the program. */
export const resourceFile = (resources: URL, name: string): URL => new URL(name, resources)

/** Opens a source. Throws `PANEL_NOT_FOUND`, `PANEL_NO_INDEX`, `PANEL_NOT_LOOPBACK`. */
export async function openSite(source: PanelSource, resources: URL, note: Noting): Promise<PanelSite> {
  if (source.kind === 'server') return serverSite(source.url, note)
  const sample = (name: string): string => fileURLToPath(resourceFile(resources, `demo/panels/${name}`))
  if (source.kind === 'sample') return folderSite(sample(source.name), note)
  return folderSite(source.path, note, source)
}

/** The plugins of the samples; the template of the demo host lists them. */
const samplePlugins: Readonly<Record<Extract<PanelSource, { kind: 'sample' }>['name'], string>> = {
  practice: 'app.demo.practice',
  'rule-breaker': 'app.demo.rule-breaker',
}

/** The plugin that a panel is taken for where nobody chose one: the sample's own, or the first that the host's template lists. */
export function defaultPluginOf(source: PanelSource | null, offered: readonly string[]): string | null {
  const own = source?.kind === 'sample' ? samplePlugins[source.name] : null
  return own !== null && offered.includes(own) ? own : (offered[0] ?? null)
}

/** What a source is called before its page says so. */
export function nameOf(source: PanelSource): string {
  if (source.kind === 'sample') return source.name
  return source.kind === 'folder' ? path.basename(source.path) || source.path : new URL(source.url).host
}
