import type { InjectionKey } from 'vue'
import type { ThemeName } from '../../styles/theme.ts'

/** Returns the theme of the widgets; provided by the page's `WidgetProvider`. */
export const widgetThemeKey: InjectionKey<() => ThemeName | undefined> = Symbol('widget-theme')
