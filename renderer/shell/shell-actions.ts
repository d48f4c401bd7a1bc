import { useRouter } from 'vue-router'
import { places } from '../places/index.ts'
import { useRecordingDrafts } from '../panes/recordings/recording-drafts.ts'
import { useConnection } from '../stores/connection.ts'
import { useFollowMode } from '../stores/follow-mode.ts'
import { useSettings } from '../stores/settings.ts'
import { useActions, useCommands, type Action } from '../stores/shortcuts.ts'
import { useTour } from '../stores/tour.ts'
import { useInspectorToggle, useUi } from '../stores/ui.ts'

/** Actions for places, panes, theme, language, density and reconnecting, on every place. */
export function useShellActions(): void {
  const router = useRouter()
  const settings = useSettings()
  const connection = useConnection()
  const ui = useUi()
  const follow = useFollowMode()
  const tour = useTour()

  const placeActions: Action[] = places.flatMap(({ id, nav }) => {
    if (!nav) return []
    return [
      {
        id: `go.${id}`,
        titleKey: nav.labelKey,
        groupKey: 'shortcuts.group.go',
        keys: `G ${nav.key}`,
        run: () => void router.push(nav.to),
      },
    ]
  })

  const createViewAction = (id: string, titleKey: string, run: () => void, keys?: string): Action => ({
    id: `shell.${id}`,
    titleKey: `shell.action.${titleKey}`,
    groupKey: 'shortcuts.group.view',
    run,
    ...(keys ? { keys } : {}),
  })

  // The help sheet and the settings show the actions of a place that is not open, too.
  const closedPlaceActions = places.flatMap(({ actions = [] }) =>
    actions.map((action): Action => ({ ...action, isEnabled: () => false, run: () => undefined })),
  )

  useCommands('recordings.title', { 'recordings.saveOpen': { run: useRecordingDrafts().saveStored } })
  useActions([
    ...placeActions,
    ...closedPlaceActions,
    {
      ...createViewAction(
        'palette',
        'palette',
        () => (ui.overlay = ui.overlay === 'palette' ? null : 'palette'),
        '$mod+K',
      ),
      isHidden: true,
    },
    createViewAction('shortcuts', 'shortcuts', () => (ui.overlay = 'shortcuts'), '[Shift]+?'),
    { ...createViewAction('tour', 'tour', () => tour.begin()), isEnabled: () => tour.isDemoOnline },
    {
      ...createViewAction('welcome', 'welcome', () => {
        tour.offer()
        void router.push('/library')
      }),
      isEnabled: () => tour.isDemoOnline,
    },
    createViewAction(
      'toggleNav',
      'toggleNav',
      () => settings.update({ navCollapsed: !settings.values.navCollapsed }),
      '$mod+B',
    ),
    createViewAction('toggleInspector', 'toggleInspector', useInspectorToggle(), '$mod+I'),
    createViewAction('follow', 'follow', () => follow.toggle(), 'F H'),
    createViewAction('themeLight', 'themeLight', () => settings.update({ theme: 'light' })),
    createViewAction('themeDark', 'themeDark', () => settings.update({ theme: 'dark' })),
    createViewAction('themeSystem', 'themeSystem', () => settings.update({ theme: 'system' })),
    createViewAction('localeEn', 'localeEn', () => settings.update({ locale: 'en' })),
    createViewAction('localeZh', 'localeZh', () => settings.update({ locale: 'zh-CN' })),
    createViewAction('density', 'density', () =>
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
