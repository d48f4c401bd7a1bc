import { useRouter } from 'vue-router'
import { places } from '../places/index.ts'
import { useConnection } from '../stores/connection.ts'
import { useFollowMode } from '../stores/follow-mode.ts'
import { useSettings } from '../stores/settings.ts'
import { useActions, type Action } from '../stores/shortcuts.ts'
import { useUi } from '../stores/ui.ts'

/** Second key of the `g …` sequence for each place. */
const placeKeys: Readonly<Record<string, string>> = {
  connect: 'C',
  host: 'H',
  library: 'L',
  search: 'F',
  settings: 'S',
}

/** Actions available everywhere: go to a place, toggle the panes, switch theme, language and density, reconnect. */
export function useShellActions(): void {
  const router = useRouter()
  const settings = useSettings()
  const connection = useConnection()
  const ui = useUi()
  const follow = useFollowMode()

  const go: Action[] = places.flatMap(({ id, nav }) => {
    if (!nav) return []
    const key = placeKeys[id]
    return [
      {
        id: `go.${id}`,
        titleKey: nav.labelKey,
        groupKey: 'shortcuts.group.go',
        ...(key ? { keys: `G ${key}` } : {}),
        run: () => void router.push(nav.to),
      },
    ]
  })

  const view = (id: string, titleKey: string, run: () => void, keys?: string): Action => ({
    id: `shell.${id}`,
    titleKey: `shell.action.${titleKey}`,
    groupKey: 'shortcuts.group.view',
    run,
    ...(keys ? { keys } : {}),
  })

  useActions([
    ...go,
    {
      ...view('palette', 'palette', () => (ui.overlay = ui.overlay === 'palette' ? null : 'palette'), '$mod+K'),
      isHidden: true,
    },
    view('shortcuts', 'shortcuts', () => (ui.overlay = 'shortcuts'), '[Shift]+?'),
    view('toggleNav', 'toggleNav', () => settings.update({ navCollapsed: !settings.values.navCollapsed }), '$mod+B'),
    view(
      'toggleInspector',
      'toggleInspector',
      () => settings.update({ inspectorOpen: !settings.values.inspectorOpen }),
      '$mod+I',
    ),
    view('follow', 'follow', () => follow.toggle(), 'F H'),
    view('themeLight', 'themeLight', () => settings.update({ theme: 'light' })),
    view('themeDark', 'themeDark', () => settings.update({ theme: 'dark' })),
    view('themeSystem', 'themeSystem', () => settings.update({ theme: 'system' })),
    view('localeEn', 'localeEn', () => settings.update({ locale: 'en' })),
    view('localeZh', 'localeZh', () => settings.update({ locale: 'zh-CN' })),
    view('density', 'density', () =>
      settings.update({ density: settings.values.density === 'compact' ? 'comfortable' : 'compact' }),
    ),
    {
      id: 'connection.retry',
      titleKey: 'shell.action.retry',
      groupKey: 'shortcuts.group.connection',
      isEnabled: () => connection.state.profile !== null && !connection.online,
      run: () => void connection.retry().catch(() => undefined),
    },
    {
      id: 'connection.disconnect',
      titleKey: 'shell.action.disconnect',
      groupKey: 'shortcuts.group.connection',
      isEnabled: () => connection.state.phase !== 'none',
      run: () => void connection.disconnect().catch(() => undefined),
    },
  ])
}
