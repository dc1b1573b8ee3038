import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

interface OwnAddressProps {
  readonly listed: readonly string[];
  readonly add: (all: readonly string[]) => void;
}

/** Lets the person in from where they are, and says what an empty list means. */
export function OwnAddress({ listed, add }: OwnAddressProps) {
  const sessions = useQuery(api.queryOptions('get', '/virga/v1/sessions'));
  const address = sessions.data?.results.find(({ is_current }) => is_current)?.ip_address;
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 10, fontSize: 13 }}>
      {address && !listed.includes(address) && (
        <Button size="xs" variant="default" onClick={() => add([...listed, address])}>
          Add your address, {address}
        </Button>
      )}
      {listed.length === 0 && <span>With no address here, nobody can connect.</span>}
    </div>
  );
}
