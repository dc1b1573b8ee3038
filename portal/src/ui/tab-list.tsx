import { Tabs } from '@mantine/core';

interface TabListProps {
  readonly tabs: readonly { readonly key: string; readonly label: string }[];
  readonly mb?: string;
}

/** The names of tabs, to choose one. */
export function TabList({ tabs, ...props }: TabListProps) {
  return (
    <Tabs.List {...props}>
      {tabs.map(({ key, label }) => (
        <Tabs.Tab key={key} value={key}>
          {label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}
