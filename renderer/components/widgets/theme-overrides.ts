import {
  alertDark,
  autoCompleteDark,
  buttonDark,
  checkboxDark,
  commonDark,
  createTheme,
  drawerDark,
  emptyDark,
  formDark,
  inputDark,
  inputNumberDark,
  modalDark,
  popoverDark,
  progressDark,
  radioDark,
  switchDark,
  type GlobalTheme,
  type GlobalThemeOverrides,
} from 'naive-ui'
import { fonts, palettes, type ThemeName } from '../../styles/theme.ts'

const controlThemes = [autoCompleteDark, buttonDark, checkboxDark, inputDark, inputNumberDark, radioDark, switchDark]
const frameThemes = [alertDark, drawerDark, emptyDark, formDark, modalDark, popoverDark, progressDark]

/** The dark theme of the widgets in use, because that of all is too large for the start. */
export const darkTheme: GlobalTheme = {
  ...createTheme('dark', [...controlThemes, ...frameThemes]),
  common: commonDark,
}

/** The page's palette as naive-ui's: 13 px text, 4 px corners, hairlines, one accent, no glow. */
export function createThemeOverrides(name: ThemeName): GlobalThemeOverrides {
  const palette = palettes[name]
  return {
    common: createCommonOverrides(palette),
    ...createControlOverrides(palette),
    ...createOverlayOverrides(palette),
  }
}

type ComponentOverrides = Omit<GlobalThemeOverrides, 'common'>
type Palette = (typeof palettes)[ThemeName]

/** Follows the density. naive-ui only passes the value on as a CSS variable. */
const CONTROL_HEIGHT = 'var(--control)'
const OVERLAY_SHADOW = 'var(--shadow-overlay)'

function createCommonOverrides(palette: Palette): NonNullable<GlobalThemeOverrides['common']> {
  return {
    fontFamily: fonts.ui,
    fontFamilyMono: fonts.mono,
    fontSize: '13px',
    fontSizeMini: '12px',
    fontSizeTiny: '12px',
    fontSizeSmall: '13px',
    fontSizeMedium: '13px',
    fontSizeLarge: '13px',
    fontSizeHuge: '15px',
    fontWeightStrong: '600',
    lineHeight: '20px',
    borderRadius: '4px',
    borderRadiusSmall: '4px',
    heightTiny: '20px',
    heightSmall: '26px',
    heightMedium: '28px',
    heightLarge: '32px',
    baseColor: palette['on-accent'],
    primaryColor: palette.accent,
    primaryColorHover: palette['accent-hover'],
    primaryColorPressed: palette['accent-hover'],
    primaryColorSuppl: palette.accent,
    infoColor: palette.accent,
    infoColorHover: palette['accent-hover'],
    infoColorPressed: palette['accent-hover'],
    successColor: palette.ok,
    successColorHover: palette.ok,
    successColorPressed: palette.ok,
    warningColor: palette.warn,
    warningColorHover: palette.warn,
    warningColorPressed: palette.warn,
    errorColor: palette.error,
    errorColorHover: palette.error,
    errorColorPressed: palette.error,
    textColorBase: palette.text,
    textColor1: palette.text,
    textColor2: palette.text,
    textColor3: palette.muted,
    textColorDisabled: palette.muted,
    placeholderColor: palette.muted,
    placeholderColorDisabled: palette.muted,
    iconColor: palette.muted,
    iconColorHover: palette.text,
    iconColorPressed: palette.text,
    iconColorDisabled: palette.muted,
    closeIconColor: palette.muted,
    closeIconColorHover: palette.text,
    closeIconColorPressed: palette.text,
    closeColorHover: palette.hover,
    closeColorPressed: palette.hover,
    clearColor: palette.muted,
    clearColorHover: palette.text,
    clearColorPressed: palette.text,
    bodyColor: palette.bg,
    cardColor: palette.bg,
    modalColor: palette.raised,
    popoverColor: palette.raised,
    tableColor: palette.bg,
    inputColor: palette.bg,
    inputColorDisabled: palette.panel,
    actionColor: palette.panel,
    tabColor: palette.panel,
    tagColor: palette.panel,
    codeColor: palette.panel,
    railColor: palette.line,
    progressRailColor: palette.hairline,
    dividerColor: palette.hairline,
    borderColor: palette.line,
    hoverColor: palette.hover,
    pressedColor: palette.hover,
    buttonColor2: palette.hover,
    buttonColor2Hover: palette.hover,
    buttonColor2Pressed: palette.hover,
    boxShadow1: OVERLAY_SHADOW,
    boxShadow2: OVERLAY_SHADOW,
    boxShadow3: OVERLAY_SHADOW,
    opacityDisabled: '0.6',
  }
}

function createControlOverrides(palette: Palette): ComponentOverrides {
  const focus = `0 0 0 2px ${palette.accent}`
  const line = `1px solid ${palette.line}`
  const borders = { border: line, borderHover: line, borderPressed: line, borderFocus: line }
  const textColors = {
    textColorHover: palette.text,
    textColorPressed: palette.text,
    textColorFocus: palette.text,
    textColorDisabled: palette.muted,
  }
  return {
    Button: {
      ...borders,
      ...textColors,
      heightMedium: CONTROL_HEIGHT,
      // The minimum target size of WCAG 2.2 (2.5.8).
      heightTiny: '24px',
      paddingMedium: '0 10px',
      fontWeight: '400',
      color: palette.bg,
      colorHover: palette.hover,
      colorPressed: palette.hover,
      colorFocus: palette.bg,
      colorFocusPrimary: palette.accent,
      textColorPrimary: palette['on-accent'],
      textColorHoverPrimary: palette['on-accent'],
      rippleDuration: '0s',
      waveOpacity: '0',
    },
    Input: {
      heightMedium: CONTROL_HEIGHT,
      paddingMedium: '0 8px',
      clearSize: '14px',
      color: palette.bg,
      colorFocus: palette.bg,
      caretColor: palette.text,
      placeholderColor: palette.muted,
      border: line,
      borderHover: `1px solid ${palette.muted}`,
      borderFocus: `1px solid ${palette.accent}`,
      boxShadowFocus: `0 0 0 1px ${palette.accent}`,
      boxShadowFocusError: `0 0 0 1px ${palette.error}`,
    },
    InternalSelectMenu: { optionHeightMedium: '26px', optionPaddingMedium: '0 8px', optionColorPending: palette.hover },
    AutoComplete: { peers: { InternalSelectMenu: { optionHeightMedium: '26px', optionPaddingMedium: '0 8px' } } },
    Checkbox: { sizeMedium: '14px', labelPadding: '0 6px', color: palette.bg, boxShadowFocus: focus },
    Switch: { railColor: palette.line, boxShadowFocus: focus, railHeightMedium: '18px', buttonHeightMedium: '14px' },
    Radio: {
      buttonHeightMedium: CONTROL_HEIGHT,
      buttonColor: palette.bg,
      buttonColorActive: palette['accent-soft'],
      buttonTextColor: palette.muted,
      buttonTextColorHover: palette.text,
      buttonTextColorActive: palette.accent,
      buttonBorderColorActive: palette.accent,
      buttonBoxShadowFocus: `inset 0 0 0 1px ${palette.accent}`,
      boxShadowFocus: focus,
    },
    Form: {
      labelFontSizeLeftMedium: '13px',
      feedbackFontSizeMedium: '12px',
      labelHeightMedium: CONTROL_HEIGHT,
      blankHeightMedium: CONTROL_HEIGHT,
    },
  }
}

function createOverlayOverrides(palette: Palette): ComponentOverrides {
  return {
    Alert: {
      padding: '12px',
      iconSize: '16px',
      iconMargin: '14px 8px 0 12px',
      colorError: palette['error-soft'],
      colorWarning: palette['warn-soft'],
    },
    Drawer: {
      bodyPadding: '12px 16px',
      headerPadding: '10px 16px',
      footerPadding: '10px 16px',
      titleFontSize: '15px',
      titleFontWeight: '600',
    },
    Empty: { textColor: palette.muted, extraTextColor: palette.text },
    Popover: { padding: '8px 12px', space: '4px' },
    Progress: { fillColor: palette.accent, railHeight: '2px' },
  }
}
