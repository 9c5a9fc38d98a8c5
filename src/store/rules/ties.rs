//! The order of lists: by age, and within one millisecond by the order of creation, then by id.

use std::collections::HashMap;

use super::super::{Created, Records};
use crate::{error::Result, timestamp::Timestamp};

/// Sorts what is to be listed. Only ties are asked about.
pub(super) fn sort<T>(
    records: &dyn Records,
    list: &mut [T],
    age: impl Fn(&T) -> Timestamp,
    created: impl Fn(&T) -> Created<'_>,
) -> Result<()> {
    list.sort_unstable_by_key(&age);
    for tied in list.chunk_by_mut(|a, b| age(a) == age(b)) {
        sort_tied(records, tied, &created)?;
    }
    Ok(())
}

/// Sorts what was created in one millisecond.
pub(super) fn sort_tied<T>(
    records: &dyn Records,
    tied: &mut [T],
    created: impl Fn(&T) -> Created<'_>,
) -> Result<()> {
    if tied.len() < 2 {
        return Ok(());
    }
    let mut orders = HashMap::with_capacity(tied.len());
    for record in &*tied {
        let created = created(record);
        orders.insert(created.id().to_owned(), records.order(created)?);
    }
    let order = |id: &str| orders.get(id).copied().unwrap_or_default();
    tied.sort_unstable_by(|a, b| {
        let (a, b) = (created(a).id(), created(b).id());
        (order(a), a).cmp(&(order(b), b))
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        id::{SessionId, TenantId},
        store::{MemoryStore, RecordStore as _},
    };

    #[test]
    fn what_has_no_order_comes_first_by_id_then_what_was_created_here() {
        let store = MemoryStore::new();
        let id = |name: &str| SessionId::parse(&format!("ses_{name}")).unwrap();
        let ids: Vec<SessionId> = ["c", "z", "a", "m", "b", "y"].map(id).to_vec();
        let tenant = TenantId::new("t").unwrap();
        let now = Timestamp::now();
        let made = ids.clone();
        let written = store.write(move |records| {
            for one in [&made[1], &made[5], &made[0]] {
                let text = r#"{"projectId":"prj_a","currentActor":null}"#;
                let new = crate::model::NewSession::from_payload(text).unwrap();
                records.put_session(&crate::model::Session::new(
                    one.clone(),
                    tenant.clone(),
                    new,
                    now,
                ))?;
                records.created(Created::Session(one), &tenant)?;
            }
            Ok(())
        });
        futures_now(written).unwrap();
        store
            .read(|records| {
                for turn in 0..ids.len() {
                    let mut list = ids.clone();
                    list.rotate_left(turn);
                    sort(records, &mut list, |_| now, |id| Created::Session(id))?;
                    let expected = ["a", "b", "m", "z", "y", "c"].map(id);
                    assert_eq!(list, expected);
                }
                Ok(())
            })
            .unwrap();
    }

    fn futures_now<T>(future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => value,
            std::task::Poll::Pending => unreachable!("a memory store is ready at once"),
        }
    }
}
