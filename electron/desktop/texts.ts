import type { UnsavedWork } from '../../shared/ipc/app.ts'

type Language = 'en' | 'zh-CN'

/** Texts of the menu, the dialogs, and the document that is shown when the page keeps crashing. */
export interface DesktopTexts {
  readonly language: Language
  readonly menu: Readonly<
    Record<
      | 'file'
      | 'edit'
      | 'view'
      | 'window'
      | 'help'
      | 'openRecording'
      | 'settings'
      | 'quit'
      | 'close'
      | 'undo'
      | 'redo'
      | 'cut'
      | 'copy'
      | 'paste'
      | 'selectAll'
      | 'reload'
      | 'zoomIn'
      | 'zoomOut'
      | 'zoomReset'
      | 'fullscreen'
      | 'devTools'
      | 'minimize'
      | 'zoomWindow'
      | 'front'
      | 'about'
      | 'hide'
      | 'hideOthers'
      | 'showAll'
      | 'services',
      string
    >
  >
  readonly external: {
    readonly title: string
    readonly question: string
    readonly open: string
    readonly cancel: string
  }
  /** What is lost when the window closes; `{count}` is replaced by a number. */
  readonly closing: Readonly<Record<'question' | keyof UnsavedWork | 'close' | 'cancel', string>>
  /** `{name}` is replaced by the switch. */
  readonly dangerousSwitch: string
  readonly recovery: { readonly title: string; readonly text: string; readonly again: string }
}

const en: DesktopTexts = {
  language: 'en',
  menu: {
    file: '&File',
    edit: '&Edit',
    view: '&View',
    window: '&Window',
    help: '&Help',
    openRecording: '&Open Recording…',
    settings: '&Settings…',
    quit: '&Quit Bridge Inspector',
    close: '&Close Window',
    undo: '&Undo',
    redo: '&Redo',
    cut: 'Cu&t',
    copy: '&Copy',
    paste: '&Paste',
    selectAll: 'Select &All',
    reload: '&Reload Page',
    zoomIn: 'Zoom &In',
    zoomOut: 'Zoom &Out',
    zoomReset: '&Actual Size',
    fullscreen: '&Full Screen',
    devTools: '&Developer Tools',
    minimize: '&Minimize',
    zoomWindow: 'Zoom',
    front: 'Bring All to Front',
    about: '&About Bridge Inspector',
    hide: 'Hide Bridge Inspector',
    hideOthers: 'Hide Others',
    showAll: 'Show All',
    services: 'Services',
  },
  external: {
    title: 'Open in the browser?',
    question: 'This address is outside Bridge Inspector:',
    open: 'Open',
    cancel: 'Cancel',
  },
  closing: {
    question: 'Close Bridge Inspector?',
    writes: 'Writes under way: {count}. They are no longer followed, so their outcome may stay unknown.',
    heldCalls: 'Calls held for your decision: {count}. They are given up.',
    forms: 'A form that you have filled in is lost.',
    close: 'Close',
    cancel: 'Cancel',
  },
  dangerousSwitch:
    'Bridge Inspector does not start with {name}, which would let other programs control it and read its data, or take away the page’s protection. Start it without that switch.',
  recovery: {
    title: 'The page keeps failing',
    text: 'It failed three times within a minute, so it is no longer reloaded automatically. The connection to the host and everything under way there continue.',
    again: 'Reload the page',
  },
}

const zhCN: DesktopTexts = {
  language: 'zh-CN',
  menu: {
    file: '文件(&F)',
    edit: '编辑(&E)',
    view: '视图(&V)',
    window: '窗口(&W)',
    help: '帮助(&H)',
    openRecording: '打开录制文件(&O)…',
    settings: '设置(&S)…',
    quit: '退出 Bridge Inspector(&Q)',
    close: '关闭窗口(&C)',
    undo: '撤销(&U)',
    redo: '重做(&R)',
    cut: '剪切(&T)',
    copy: '复制(&C)',
    paste: '粘贴(&P)',
    selectAll: '全选(&A)',
    reload: '重新加载页面(&R)',
    zoomIn: '放大(&I)',
    zoomOut: '缩小(&O)',
    zoomReset: '实际大小(&A)',
    fullscreen: '全屏(&F)',
    devTools: '开发者工具(&D)',
    minimize: '最小化(&M)',
    zoomWindow: '缩放',
    front: '前置全部窗口',
    about: '关于 Bridge Inspector(&A)',
    hide: '隐藏 Bridge Inspector',
    hideOthers: '隐藏其他',
    showAll: '全部显示',
    services: '服务',
  },
  external: {
    title: '在浏览器中打开？',
    question: '此地址不属于 Bridge Inspector：',
    open: '打开',
    cancel: '取消',
  },
  closing: {
    question: '要关闭 Bridge Inspector 吗？',
    writes: '正在进行的写入：{count} 个。将不再跟踪它们，结果可能一直未知。',
    heldCalls: '等待你决定的调用：{count} 个。将放弃这些调用。',
    forms: '已填写的表单内容会丢失。',
    close: '关闭',
    cancel: '取消',
  },
  dangerousSwitch:
    '带有 {name} 时 Bridge Inspector 不会启动：其他程序可能借此控制它并读取其中的数据，或使页面失去保护。请去掉该参数后再启动。',
  recovery: {
    title: '页面反复出错',
    text: '页面在一分钟内出错三次，因此不再自动重新加载。与宿主的连接以及正在进行的操作不受影响。',
    again: '重新加载页面',
  },
}

/** The setting `system` stands for the operating system's preference. */
export function getDesktopTexts(locale: 'system' | Language, systemLanguages: readonly string[]): DesktopTexts {
  const language = locale === 'system' ? (systemLanguages[0] ?? 'en') : locale
  return language.toLowerCase().startsWith('zh') ? zhCN : en
}

/** A message box grows with a line that has no space, beyond the screen too. */
export function wrapAddress(href: string): string {
  return href.replace(/.{72}(?=.)/g, '$&\n')
}
