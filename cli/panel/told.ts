import type { GateChange, PanelCall } from '../../shared/panel/panel.ts'
import type { Opened } from '../session/session.ts'

const reasons: Readonly<Record<GateChange['why'], string>> = {
  'confirm-filled': 'the host fills in confirm',
  'addon-rewritten': 'the host writes the plugin’s id into addon',
  'addon-without-id': 'the plugin’s id is not known',
  'header-removed': 'the host does not pass this header on',
  override: 'an override',
  'override-missed': 'an override that leads nowhere here',
  'token-masked': 'a token never reaches a panel',
}

/** One thing that the gate changed, in a line: `Changed: body /addon "mine" -> "plugin.one" (…)`. */
export function changeLine({ where, member, from, to, why }: GateChange): string {
  const place = member === '' ? where : `${where} ${member}`
  const how = why === 'token-masked' ? '' : ` ${from ?? 'absent'} -> ${to ?? 'removed'}`
  return `Changed: ${place}${how} (${reasons[why]})`
}

/** What the host says about whether it would build a panel of this plugin at all (spec §5.3): nobody here can know more. */
export async function hostRemarks({ call }: Opened, made: PanelCall, pluginId: string): Promise<string[]> {
  const { plugin, allow } = await call('panel.get', {})
  const remarks: string[] = []
  if (plugin.offered.length > 0 && !plugin.offered.includes(pluginId)) {
    remarks.push(
      `Note: The host’s template lists ${plugin.offered.slice(0, 10).join(', ')}, not ${pluginId}: it would not build this panel.`,
    )
  }
  if (plugin.offered.length === 0) remarks.push('Note: The host’s template names no plugin.')
  if (allow.from === 'capabilities-routes')
    remarks.push('Note: The host names no list for panels: every route that it lists counts as allowed.')
  const { panel } = await call('callers.who', {
    method: made.page.method,
    path: made.page.path.split('?', 1)[0] ?? made.page.path,
  })
  const state = panel.reasons.find(({ code }) => code === 'immersive-said')?.quote
  if (state) remarks.push(`Note: Its immersive state is ${state.value}, which decides whether a panel is shown at all.`)
  return remarks
}
